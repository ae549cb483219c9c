// Gatherv at 32,768 ranks: what its largest inner rank's share costs, and what the whole edge list does.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/stored_schedule.hpp"

namespace {

using namespace collsched;

constexpr rank_t ranks = 32768;

/// 1 to 16 bytes per rank, at places in no order.
block_layout scattered() {
    std::vector<bytes_t> counts(ranks), displs(ranks);
    std::vector<std::size_t> order(ranks);
    std::uint64_t state = 1;
    const auto random = [&] { return (state = state * 6364136223846793005U + 1442695040888963407U) >> 33; };
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
    bytes_t next = 0;
    for (const std::size_t i : order) {
        counts[i] = static_cast<bytes_t>(1 + random() % 16);
        displs[i] = next;
        next += counts[i];
    }
    return {counts, displs};
}

template <class Algorithm>
void inner_rank(benchmark::State& state) {
    const Algorithm gather{.ranks = ranks, .root = 0, .block = scattered()};
    std::int64_t edges = 0;
    for (auto _ : state) {
        edges = 0;
        for (const edge& e : program(gather, ranks / 2)) edges += e.size > 0 ? 1 : 0;
        bytes_t scratch = lower(gather).scratch(ranks / 2);
        benchmark::DoNotOptimize(scratch);
    }
    state.counters["edges"] = static_cast<double>(edges);
}

template <class Algorithm>
void all_ranks(benchmark::State& state) {
    const Algorithm gather{.ranks = ranks, .root = 0, .block = scattered()};
    std::int64_t edges = 0;
    for (auto _ : state) {
        edges = 0;
        for_each_send(lower(gather), [&](const edge& e) { edges += e.size > 0 ? 1 : 0; });
        benchmark::DoNotOptimize(edges);
    }
    state.counters["edges"] = static_cast<double>(edges);
    state.counters["edges/s"] =
        benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsIterationInvariantRate);
}

using binomial = gather::over_tree<trees::binomial, gather::root_receive::instant>;
using chained = gather::over_tree<trees::binomial, gather::root_receive::chained>;

BENCHMARK(inner_rank<gather::linear>);
BENCHMARK(inner_rank<binomial>);
BENCHMARK(inner_rank<chained>);
BENCHMARK(all_ranks<gather::linear>);
BENCHMARK(all_ranks<binomial>);
BENCHMARK(all_ranks<chained>);

}  // namespace

BENCHMARK_MAIN();
