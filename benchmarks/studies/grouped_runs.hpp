#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/core/rank.hpp"
#include "collsched/cost/concepts.hpp"
#include "benchmarks/studies/conflict_policies.hpp"
#include "benchmarks/studies/exchange_policies.hpp"
#include "benchmarks/studies/switch_contention.hpp"
#include "benchmarks/studies/switch_network.hpp"

/// The simulations of `study grouped`.
namespace grouped_study {

using namespace collsched::switch_study;
using collsched::bytes_t, collsched::picoseconds, collsched::rank_t;

constexpr bytes_t tuple = 100;
constexpr std::int64_t join_values = 10'000;
constexpr std::int64_t delay_growth = 1024;

/// The parameters of all tables. A table varies one or two of them at a time.
struct condition {
    rank_t ranks = 16;
    bytes_t bytes = 262'144;
    switch_network network;
    picoseconds master_ps = 0, delay_ps = 0;
    bool skewed = false;
    std::uint64_t seed = 1;
};

/// An interpretation of conflicts, which the paper does not define.
struct reading {
    conflict on;
    target_order order;
    const char* name;
};
constexpr std::array readings{reading{conflict::loss, target_order::shifted, "loss"},
                              reading{conflict::wait, target_order::shifted, "wait, shifted"},
                              reading{conflict::wait, target_order::ascending, "wait, ascending"},
                              reading{conflict::other, target_order::shifted, "other, shifted"},
                              reading{conflict::other, target_order::ascending, "other, ascending"}};
constexpr std::array alternatives{"priority", "volume", "random delay"};

/// The times of all policies under a condition.
struct study_run {
    contention all_at_once, shifted;
    std::array<std::array<contention, alternatives.size()>, readings.size()> alternative;
    std::vector<rank_t> groups;
    std::vector<contention> grouped;
    picoseconds bound = 0;

    std::size_t best() const {
        std::size_t best = 0;
        for (std::size_t g = 1; g < grouped.size(); ++g)
            if (grouped[g].completion < grouped[best].completion) best = g;
        return best;
    }
    double over_best(const contention& other) const {
        return static_cast<double>(other.completion) / static_cast<double>(grouped[best()].completion);
    }
};

/// Simulates all policies; grouped communication with every group size, or with powers of two and all nodes.
study_run run_all(const condition& c, bool all_groups);

}  // namespace grouped_study
