// What one rank's share of a schedule costs, and what the whole costs to list and to prove. Memory is counted by replacing
// operator new: bytes allocated at the peak, beyond what the benchmark held before.

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

#include "collsched/collective.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/verify.hpp"

namespace {

std::atomic<std::int64_t> held = 0, peak = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    const std::int64_t now = held += static_cast<std::int64_t>(malloc_usable_size(memory));
    if (now > peak) peak = now;
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    held -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace {

using namespace collsched;

/// Walks the program of a rank in the middle, at most `limit` edges of it.
template <class Algorithm>
void one_rank(benchmark::State& state, std::int64_t limit) {
    const rank_t ranks = state.range(0);
    const auto algorithm = make<Algorithm>({.ranks = ranks, .block = 8, .bytes = 8 * 1024, .segment = 1024});
    std::int64_t seen = 0;
    const std::int64_t before = held;
    peak = before;
    for (auto _ : state) {
        seen = 0;
        for (const edge& e : program(algorithm, ranks / 3)) {
            benchmark::DoNotOptimize(e.size);
            if (++seen == limit) break;
        }
    }
    state.counters["edges"] = static_cast<double>(seen);
    state.counters["peak_bytes"] = static_cast<double>(peak - before);
    state.counters["edges/s"] =
        benchmark::Counter(static_cast<double>(seen), benchmark::Counter::kIsIterationInvariantRate);
}

template <class Algorithm>
void plan_of_one_rank(benchmark::State& state) {
    const rank_t ranks = state.range(0);
    const auto algorithm = make<Algorithm>({.ranks = ranks, .block = 8, .bytes = 8 * 1024, .segment = 1024});
    for (auto _ : state) {
        const plan own(algorithm, ranks / 3);
        benchmark::DoNotOptimize(own.nodes().data());
    }
}

template <class Algorithm>
void generate(benchmark::State& state) {
    const rank_t ranks = state.range(0);
    const auto algorithm = make<Algorithm>({.ranks = ranks, .block = 8, .bytes = 8 * 1024, .segment = 1024});
    std::int64_t edges = 0;
    for (auto _ : state) {
        edges = 0;
        bytes_t bytes = 0;
        for_each_send(lower(algorithm), [&](const edge& e) {
            ++edges;
            bytes += e.size ^ e.into_offset;
        });
        benchmark::DoNotOptimize(bytes);
    }
    state.counters["edges/s"] =
        benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsIterationInvariantRate);
}

template <class Algorithm>
void store(benchmark::State& state) {
    const rank_t ranks = state.range(0);
    const auto algorithm = make<Algorithm>({.ranks = ranks, .block = 8, .bytes = 8 * 1024, .segment = 1024});
    std::size_t edges = 0;
    for (auto _ : state) {
        const stored_schedule s = materialise(algorithm);
        edges = s.edges().size();
        benchmark::DoNotOptimize(edges);
    }
    state.counters["edges/s"] =
        benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsIterationInvariantRate);
}

template <class Algorithm>
void prove(benchmark::State& state) {
    const rank_t ranks = state.range(0);
    const auto algorithm = make<Algorithm>({.ranks = ranks, .block = 8, .bytes = 8 * 1024, .segment = 1024});
    const std::size_t edges = [&] {
        const stored_schedule s = materialise(algorithm);
        return s.edges().size();
    }();
    for (auto _ : state)
        if (!verify(algorithm).ok()) state.SkipWithError("the schedule is wrong");
    state.counters["edges/s"] =
        benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsIterationInvariantRate);
}

/// One of every kind: straight lines, logarithms, trees, chains of messages, circulant graphs, compositions.
using measured =
    algorithm_list<allgather::ring, allgather::bruck, allgather::recursive_doubling, allgather::neighbor_exchange,
                   allgather::circulant, alltoall::pairwise, alltoall::bruck, allreduce::ring,
                   allreduce::recursive_doubling, allreduce::circulant, allreduce::rabenseifner,
                   broadcast::over_tree<trees::binomial>, broadcast::over_tree<trees::chain>, broadcast::circulant,
                   gather::over_tree<trees::binomial, gather::intake::instant>,
                   gather::over_tree<trees::binomial, gather::intake::chained>, reduce_scatter::circulant,
                   scan::recursive_doubling>;

struct registration {
    template <class A>
    void operator()() const {
        const std::string name = std::string(name_of(A::info.what)) + "/" + A::info.name;
        for (const std::int64_t p : {1 << 10, 1 << 20})
            benchmark::RegisterBenchmark(("program of one rank, 1000 edges at most/" + name).c_str(),
                                         [](benchmark::State& s) { one_rank<A>(s, 1000); })
                ->Arg(p);
        benchmark::RegisterBenchmark(("plan of one rank/" + name).c_str(), plan_of_one_rank<A>)->Arg(1 << 10);
        benchmark::RegisterBenchmark(("generate/" + name).c_str(), generate<A>)->Arg(1 << 10);
        benchmark::RegisterBenchmark(("materialise/" + name).c_str(), store<A>)->Arg(1 << 10);
        benchmark::RegisterBenchmark(("verify/" + name).c_str(), prove<A>)->Arg(1 << 8);
    }
};

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    measured::for_each(registration{});
    benchmark::RunSpecifiedBenchmarks();
}
