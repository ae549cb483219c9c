#pragma once

#include <cstdint>

#include "collsched/cost/cluster_model.hpp"
#include "collsched/tree/send_plan.hpp"

namespace collsched {

/// Which way the messages go that a tree is planned for: from the root, or to it.
enum class direction : std::uint8_t { one_to_many, many_to_one };

/// Which numbers of ranks a planner does: "any", or what it says itself.
template <planner Planner>
constexpr const char* ranks_of() {
    if constexpr (requires { Planner::ranks; }) return Planner::ranks;
    else return "any";
}

/// The tree that a planner makes for messages of `bytes` between the root and all ranks of a cluster. What is wrong, its
/// check() tells.
template <planner Planner>
constexpr trees::planned_tree plan_tree(direction way, const cluster_model& cluster, rank_t ranks, rank_t root,
                                        bytes_t bytes) {
    if (cluster.ranks() != ranks)
        return trees::planned_tree(error{"cluster", cluster.ranks(), "a cluster with as many computers as ranks"});
    const plan_request request{cluster.machines, cluster.cost, bytes, root};
    const send_plan plan = way == direction::one_to_many ? Planner{}(request) : many_to_one(Planner{}, request);
    return plan.tree(Planner::name);
}

}  // namespace collsched
