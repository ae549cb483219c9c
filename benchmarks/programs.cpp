// Costs of the plan of one rank, and of a pass over all edges of a schedule with and without storing them, beside
// writing as much memory for the first time.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "collsched/collective.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/schedule/stored_schedule.hpp"

namespace {

using namespace collsched;

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
        const stored_schedule s = materialize(algorithm);
        edges = s.edges().size();
        benchmark::DoNotOptimize(edges);
    }
    state.counters["edges/s"] =
        benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsIterationInvariantRate);
}

/// One of every kind: straight lines, logarithms, trees, chains of messages, circulant graphs, compositions.
using measured =
    algorithm_list<allgather::ring, allgather::bruck, allgather::recursive_doubling, allgather::neighbor_exchange,
                   allgather::circulant, alltoall::pairwise, alltoall::bruck, allreduce::ring,
                   allreduce::recursive_doubling, allreduce::circulant, allreduce::rabenseifner,
                   broadcast::over_tree<trees::binomial>, broadcast::over_tree<trees::chain>, broadcast::circulant,
                   gather::over_tree<trees::binomial, gather::root_receive::instant>,
                   gather::over_tree<trees::binomial, gather::root_receive::chained>, reduce_scatter::circulant,
                   scan::recursive_doubling>;

struct registration {
    template <class A>
    void operator()() const {
        const std::string name = std::string(name_of(A::info.collective)) + "/" + A::info.name;
        benchmark::RegisterBenchmark(("plan of one rank/" + name).c_str(), plan_of_one_rank<A>)->Arg(1 << 10);
        benchmark::RegisterBenchmark(("generate/" + name).c_str(), generate<A>)->Arg(1 << 8)->Arg(1 << 10);
        benchmark::RegisterBenchmark(("materialize/" + name).c_str(), store<A>)->Arg(1 << 10);
    }
};

/// A bound for storing a schedule: the bytes of a stored edge, written once to memory that is new.
void write_new_memory(benchmark::State& state) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        const std::unique_ptr<std::byte[]> memory(new std::byte[bytes]);
        std::memset(memory.get(), 1, bytes);
        benchmark::DoNotOptimize(memory.get());
        benchmark::ClobberMemory();
    }
    const double stored = static_cast<double>(sizeof(edge) + 2 * sizeof(std::int64_t));
    state.counters["edges/s"] =
        benchmark::Counter(static_cast<double>(bytes) / stored, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::RegisterBenchmark("memset of as many bytes", write_new_memory)->Arg(72 << 20);
    benchmark::Initialize(&argc, argv);
    measured::for_each(registration{});
    benchmark::RunSpecifiedBenchmarks();
}
