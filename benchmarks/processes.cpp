// Two processes of one node: collectives beside one memcpy of the same bytes, with large messages copied once
// (straight from the sender's memory) and twice (through a ring). Collective and memcpy take turns, so that both see
// the same machine; the counters are of the best turn of each, since others may use the processors too. `of_memcpy`:
// bandwidth of the collective divided by that of the memcpy. The second argument is ring_bytes, 0 for a single copy.

#include <benchmark/benchmark.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute/processes.hpp"
#include "two_ranks.hpp"

namespace {

using namespace collsched;

process_group::options options(std::int64_t ring_bytes) {
    return ring_bytes == 0 ? process_group::options{.single_copy_from = 0} : process_group::options{ring_bytes, false};
}

/// One rank of a schedule, in this process, in place.
struct member {
    template <class X>
    member(const X& x, rank_t rank, const process_group::anonymous_segment& room, process_group::options how) {
        if (group.join(room, 2, rank, how)) return;
        over.emplace(group);
        mine.emplace(x, rank, *over, binding::in_place);
    }
    bool once() { return mine && mine->once(); }

    process_group group;
    std::optional<process_group::transport> over;
    std::optional<two_ranks::one_rank<process_group::transport>> mine;
};

/// Rank 1 in a process of its own, which runs as often as rank 0 does.
template <class X>
class pair_of_processes {
  public:
    pair_of_processes(const X& x, process_group::options how)
        : orders_(new(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) orders) {
        if (child_ = ::fork(); child_ == 0) {
            follow(x, how);
            ::_exit(0);
        }
        zero_ = std::make_unique<member>(x, 0, room_, how);
    }
    ~pair_of_processes() {
        orders_->times.store(-1);
        ::waitpid(child_, nullptr, 0);
        ::munmap(orders_, 4096);
    }

    /// Seconds for so many runs one after another, on rank 0, after one that brings the two together.
    double run(int times) {
        orders_->times.store(times + 1);
        failed_ = failed_ || !zero_->once();
        const auto before = two_ranks::clock_type::now();
        for (int i = 0; i < times; ++i) failed_ = failed_ || !zero_->once();
        const double seconds = two_ranks::seconds_since(before);
        while (!failed_ && orders_->times.load() != 0) {}
        return seconds;
    }
    bool failed() const { return failed_; }

  private:
    struct orders {
        std::atomic<int> times = 0;  // to run; 0 when that is done, -1 to end
    };

    void follow(const X& x, process_group::options how) {
        member one(x, 1, room_, how);
        for (int times; (times = orders_->times.load()) >= 0;) {
            if (times == 0) ::sched_yield();
            for (int i = 0; i < times; ++i)
                if (!one.once()) return;
            int expected = times;
            if (times > 0) orders_->times.compare_exchange_strong(expected, 0);
        }
    }

    process_group::anonymous_segment room_;
    orders* orders_;
    pid_t child_ = -1;
    std::unique_ptr<member> zero_;
    bool failed_ = false;
};

template <class X>
void beside_memcpy(benchmark::State& state, const X& x) {
    const bytes_t bytes = state.range(0);
    pair_of_processes<X> pair(x, options(state.range(1)));
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
    beside_memcpy(state, allgather::ring{.ranks = 2, .block = state.range(0)});
}
void broadcast_binomial(benchmark::State& state) {
    beside_memcpy(state, broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = state.range(0)});
}

void sizes_and_ways(benchmark::internal::Benchmark* what) {
    for (const std::int64_t bytes : {8, 2 << 10, 8 << 10, 64 << 10, 1 << 20, 16 << 20})
        for (const std::int64_t ring_bytes : {0, 16 << 10, 32 << 10, 128 << 10}) what->Args({bytes, ring_bytes});
    what->UseManualTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(allgather_ring)->Apply(sizes_and_ways);
BENCHMARK(broadcast_binomial)->Apply(sizes_and_ways);

/// Messages of 8 bytes, so many in flight at once, both ends in one process: what a message costs without the wait for
/// it.
void messages_of_8_bytes(benchmark::State& state) {
    const auto messages = static_cast<std::size_t>(state.range(0));
    const process_group::anonymous_segment room;
    process_group first, second;
    if (first.join(room, 2, 0) || second.join(room, 2, 1)) return state.SkipWithError("no group");
    process_group::transport zero(first), one(second);
    std::vector<std::byte> out(8), in(8 * messages);
    const message::send_part from{out.data(), 8};
    std::vector<message::receive_part> into(messages);
    for (std::size_t i = 0; i < messages; ++i) into[i] = {in.data() + 8 * i, 8};
    std::uint64_t epoch = 0;
    const auto finish_all = [messages](process_group::transport& mine) {
        for (std::size_t done = 0; done < messages;)
            if (mine.poll().request.owner != nullptr) ++done;
    };
    for (auto _ : state) {
        ++epoch;
        for (std::size_t i = 0; i < messages; ++i)
            one.post_recv({0, 0, epoch, static_cast<std::int64_t>(i), 7, {&state, 0}}, {&into[i], 1});
        for (std::size_t i = 0; i < messages; ++i)
            zero.post_send({1, 0, epoch, static_cast<std::int64_t>(i), 7, {&state, 0}}, {&from, 1});
        finish_all(one);
        finish_all(zero);
    }
    state.counters["a_message"] = benchmark::Counter(
        static_cast<double>(messages), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(messages_of_8_bytes)->Arg(1)->Arg(16)->Arg(30);

}  // namespace

BENCHMARK_MAIN();
