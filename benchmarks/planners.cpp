// Time of planning: random clusters of 8 sites with 8 switches each, every planner, costs from the tree of switches and
// from matrices (mirrored: many-to-one), and nodes that are all alike.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/tree.hpp"

namespace {

using namespace collsched;

enum class costs { from_tree, from_matrices, all_alike };

tree_plan::request request_for(rank_t ranks, costs kind) {
    detail::splitmix64 random(1);
    std::vector<rank_t> parents(8, 0), homes;
    for (rank_t e = 0; e < 64; ++e) parents.push_back(1 + e / 8);
    for (rank_t r = 0; r < ranks; ++r) homes.push_back(random.between(9, 72));
    const topology::switch_tree switches(parents, homes);

    const bool alike = kind == costs::all_alike;
    std::vector<picoseconds> overheads;
    std::vector<lob_model::link_cost> own, uplinks;
    for (rank_t r = 0; r < ranks; ++r) {
        overheads.push_back(alike ? 5'000'000 : random.between(1'000'000, 20'000'000));
        own.push_back(alike ? lob_model::link_cost{1'000'000, 10'000}
                            : lob_model::link_cost{random.between(0, 10'000'000), random.between(1'000, 90'000)});
    }
    for (rank_t e = 0; e < switches.switches(); ++e)
        uplinks.push_back(alike ? lob_model::link_cost{10'000'000, 10'000}
                                : lob_model::link_cost{random.between(0, 100'000'000), random.between(2'000, 100'000)});
    const lob_model model(switches, overheads, own, uplinks);
    if (kind != costs::from_matrices) return {switches, model, 1000, ranks / 3};

    std::vector<picoseconds> latencies;
    std::vector<std::int64_t> rates;
    for (rank_t i = 0; i < ranks; ++i)
        for (rank_t j = 0; j < ranks; ++j) {
            latencies.push_back(model.latency(i, j));
            rates.push_back(model.byte_fs(i, j));
        }
    return {switches, lob_model(overheads, latencies, rates), 1000, ranks / 3};
}

template <class Planner, costs kind, bool mirrored>
void plan(benchmark::State& state) {
    const tree_plan::request request = request_for(state.range(0), kind);
    picoseconds completion = 0;
    for (auto _ : state) {
        completion = (mirrored ? many_to_one(Planner{}, request) : Planner{}(request)).completion;
        benchmark::DoNotOptimize(completion);
    }
    state.counters["completion_us"] = static_cast<double>(completion) / 1e6;
}

/// Registers a planner with all kinds of costs.
template <class Planner>
void add(rank_t largest) {
    const auto with = [&]<costs kind, bool mirrored = false>(const char* suffix) {
        benchmark::RegisterBenchmark((std::string(Planner::name) + suffix).c_str(), plan<Planner, kind, mirrored>)
            ->RangeMultiplier(8)
            ->Range(largest / 8, largest)
            ->Unit(benchmark::kMillisecond);
    };
    with.template operator()<costs::from_tree>("/tree");
    with.template operator()<costs::from_matrices>("/matrices");
    with.template operator()<costs::from_matrices, true>("/matrices/mirrored");
    with.template operator()<costs::all_alike>("/alike");
}

}  // namespace

int main(int argc, char** argv) {
    planners::detail::builders::for_each([]<class Planner>() { add<Planner>(4096); });
    add<planners::refined>(512);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
