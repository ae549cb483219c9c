// Threads of one process: collectives of two ranks beside one memcpy of the same bytes, and what a message costs.
// Collective and memcpy take turns, a millisecond or so each, so that both see the same machine; the counters are of
// the best turn of each, since others may use the processors too. `of_memcpy`: bandwidth of the collective divided by
// that of the memcpy.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "collsched/collective.hpp"
#include "two_ranks.hpp"

namespace {

using namespace collsched;
using two_ranks::pair_of_threads;

template <class X>
void beside_memcpy(benchmark::State& state, const X& x, bytes_t bytes, binding how) {
    pair_of_threads<X> pair(x, how);
    std::vector<std::byte> from(static_cast<std::size_t>(bytes), std::byte{3}), into(from.size(), std::byte{4});
    const int times = static_cast<int>(std::clamp<bytes_t>((bytes_t{1} << 22) / bytes, 2, 100));
    double best_of_ours = 1e9, best_of_memcpy = 1e9;
    for (auto _ : state) {
        const double ours = pair.run(times);
        best_of_ours = std::min(best_of_ours, ours / times);
        best_of_memcpy = std::min(best_of_memcpy, two_ranks::copy(into, from, times) / times);
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
    std::vector<message::send_part> from;
    std::vector<message::receive_part> into;
    for (std::int64_t i = 0; i < messages; ++i) {
        from.push_back({out.data() + 8 * i, 8});
        into.push_back({in.data() + 8 * i, 8});
    }
    int owner = 0;
    std::uint64_t epoch = 0;
    for (auto _ : state) {
        ++epoch;
        for (std::int64_t i = 0; i < messages; ++i) {
            const auto at = static_cast<std::size_t>(i);
            one.post_recv({.peer = 0, .epoch = epoch, .sequence = i, .request = {&owner, i}}, {&into[at], 1});
            zero.post_send({.peer = 1, .epoch = epoch, .sequence = i, .request = {&owner, i}}, {&from[at], 1});
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
    pair_of_threads pair(s, binding::in_place);
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
