// Threads of one process: collectives of two ranks beside one memcpy of the same bytes, and what a message costs.
// Collective and memcpy take turns, a millisecond or so each, so that both see the same machine; the counters are of
// the best turn of each, since others may use the processors too. `of_memcpy`: bandwidth of the collective divided by
// that of the memcpy.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute/threads.hpp"

namespace {

using namespace collsched;
using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point before) {
    return std::chrono::duration<double>(clock_type::now() - before).count();
}

/// One rank of a schedule with memory for it.
struct rank_of {
    template <class X>
    rank_of(const X& x, rank_t rank, thread_fabric& fabric, binding how)
        : output(static_cast<std::size_t>(lower(x).contract().output_bytes(rank)), std::byte{1}),
          input(how == binding::in_place ? 0 : static_cast<std::size_t>(lower(x).contract().input_bytes(rank)),
                std::byte{2}),
          over(fabric.at(rank)),
          own(x, rank, memory(lower(x).contract(), rank, how), how),
          run(own.what(), over) {}

    rank_memory memory(const contract& promise, rank_t rank, binding how) {
        const buffer_alias alias = promise.alias(rank, how);
        if (!alias.any()) return {input, output};
        const auto size = static_cast<std::size_t>(promise.input_bytes(rank));
        return {std::span(output).subspan(static_cast<std::size_t>(alias.offset), size), output};
    }
    bool once() {
        run.start(own.buffers());
        return run.wait().done();
    }

    std::vector<std::byte> output, input;
    thread_fabric::endpoint over;
    equipped_plan own;
    execution<thread_fabric::endpoint> run;
};

/// Rank 1 in a thread of its own, which runs as often as rank 0 does.
template <class X>
class pair_of_ranks {
  public:
    pair_of_ranks(const X& x, binding how) : fabric_(2), zero_(x, 0, fabric_, how), one_(x, 1, fabric_, how) {
        other_ = std::jthread([this](std::stop_token stop) {
            for (together_.arrive_and_wait(); !stop.stop_requested(); together_.arrive_and_wait())
                for (int i = 0; i < times_; ++i) failed_ = failed_ || !one_.once();
        });
    }
    ~pair_of_ranks() {
        other_.request_stop();
        together_.arrive_and_wait();
    }

    /// Seconds for so many runs one after another, on rank 0.
    double run(int times) {
        times_ = times;
        together_.arrive_and_wait();
        failed_ = failed_ || !zero_.once();
        const auto before = clock_type::now();
        for (int i = 1; i < times; ++i) failed_ = failed_ || !zero_.once();
        return seconds_since(before) * times / (times - 1);
    }
    bool failed() const { return failed_; }

  private:
    thread_fabric fabric_;
    rank_of zero_, one_;
    std::barrier<> together_{2};
    int times_ = 0;
    std::atomic<bool> failed_ = false;
    std::jthread other_;
};

/// Seconds for so many copies of one buffer of these bytes to another.
double copy(std::vector<std::byte>& into, const std::vector<std::byte>& from, int times) {
    const auto before = clock_type::now();
    for (int i = 0; i < times; ++i) {
        std::memcpy(into.data(), from.data(), from.size());
        benchmark::ClobberMemory();
    }
    return seconds_since(before);
}

template <class X>
void beside_memcpy(benchmark::State& state, const X& x, bytes_t bytes, binding how) {
    pair_of_ranks<X> pair(x, how);
    std::vector<std::byte> from(static_cast<std::size_t>(bytes), std::byte{3}), into(from.size(), std::byte{4});
    const int times = static_cast<int>(std::clamp<bytes_t>((bytes_t{1} << 22) / bytes, 2, 100));
    double best_of_ours = 1e9, best_of_memcpy = 1e9;
    for (auto _ : state) {
        const double ours = pair.run(times);
        best_of_ours = std::min(best_of_ours, ours / times);
        best_of_memcpy = std::min(best_of_memcpy, copy(into, from, times) / times);
        state.SetIterationTime(ours);
    }
    if (pair.failed()) state.SkipWithError("failed");
    state.counters["us"] = best_of_ours * 1e6;
    state.counters["GB/s"] = static_cast<double>(bytes) / best_of_ours / 1e9;
    state.counters["memcpy_us"] = best_of_memcpy * 1e6;
    state.counters["of_memcpy"] = best_of_memcpy / best_of_ours;
}

/// In place every rank receives `bytes` once.
void allgather_ring(benchmark::State& state) {
    const bytes_t bytes = state.range(0);
    beside_memcpy(state, allgather::ring{.ranks = 2, .block = bytes}, bytes, binding::in_place);
}
void broadcast_binomial(benchmark::State& state) {
    const bytes_t bytes = state.range(0);
    beside_memcpy(state, broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = bytes}, bytes, binding::in_place);
}
BENCHMARK(allgather_ring)
    ->Arg(8)
    ->Arg(8 << 10)
    ->Arg(1 << 20)
    ->Arg(16 << 20)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(broadcast_binomial)
    ->Arg(8)
    ->Arg(8 << 10)
    ->Arg(1 << 20)
    ->Arg(16 << 20)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// Messages of 8 bytes, so many in flight at once, both ends in one thread: what a message costs without the wait for
/// it.
void messages_of_8_bytes(benchmark::State& state) {
    const auto messages = state.range(0);
    thread_fabric fabric(2);
    auto zero = fabric.at(0), one = fabric.at(1);
    std::vector<std::byte> out(static_cast<std::size_t>(8 * messages)), in(out.size());
    std::vector<const_piece> from;
    std::vector<piece> into;
    for (std::int64_t i = 0; i < messages; ++i) {
        from.push_back({out.data() + 8 * i, 8});
        into.push_back({in.data() + 8 * i, 8});
    }
    int owner = 0;
    std::uint64_t generation = 0;
    for (auto _ : state) {
        ++generation;
        for (std::int64_t i = 0; i < messages; ++i) {
            const auto at = static_cast<std::size_t>(i);
            one.post_recv({.peer = 0, .generation = generation, .sequence = i, .token = {&owner, i}}, {&into[at], 1});
            zero.post_send({.peer = 1, .generation = generation, .sequence = i, .token = {&owner, i}}, {&from[at], 1});
        }
        for (std::int64_t i = 0; i < messages; ++i) benchmark::DoNotOptimize(one.poll());
        for (std::int64_t i = 0; i < messages; ++i) benchmark::DoNotOptimize(zero.poll());
    }
    state.SetItemsProcessed(state.iterations() * messages);
}

/// The same through the engine and between two threads.
void broadcast_in_segments_of_8_bytes(benchmark::State& state) {
    const auto messages = state.range(0);
    const broadcast::over_tree<trees::flat> s{.ranks = 2, .bytes = 8 * messages, .segment = 8};
    pair_of_ranks pair(s, binding::in_place);
    double best = 1e9;
    for (auto _ : state) {
        const double time = pair.run(20);
        best = std::min(best, time / 20);
        state.SetIterationTime(time);
    }
    if (pair.failed()) state.SkipWithError("failed");
    state.counters["ns_a_message"] = best / static_cast<double>(messages) * 1e9;
}
BENCHMARK(broadcast_in_segments_of_8_bytes)->Arg(1000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(messages_of_8_bytes)->Arg(1)->Arg(100)->Arg(10'000);

}  // namespace

BENCHMARK_MAIN();
