#pragma once

#include <cstdint>

#include "collsched/core/block_layout.hpp"
#include "collsched/cost/cluster_model.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Which way the messages go that a tree is planned for: from the root, or to it.
enum class direction : std::uint8_t { one_to_many, many_to_one };

namespace detail {

/// What a collective over a planner's tree says of itself. `ranks` is what the planner says, or any.
template <planner Planner>
constexpr algorithm_info planned_info(collective kind) {
    algorithm_info info{.collective = kind, .name = Planner::name, .rounds = "as planned", .source = Planner::source};
    if constexpr (requires { Planner::ranks; }) info.ranks = Planner::ranks;
    return info;
}

/// The mean size of a block, rounded up: what collectives of blocks are planned for. 0 where the layout is wrong.
constexpr bytes_t mean_block(const block_layout& block, rank_t ranks) {
    if (ranks < 1 || block.check(ranks)) return 0;
    const bytes_t all = block.prefix(ranks);
    return all / ranks + (all % ranks > 0 ? 1 : 0);
}

}  // namespace detail

/// The tree that a planner makes for messages of `bytes` between the root and all ranks of a cluster. What is wrong, its
/// check() tells.
template <planner Planner>
constexpr trees::planned_tree plan_tree(direction way, const cluster_model& cluster, rank_t ranks, rank_t root,
                                        bytes_t bytes) {
    if (cluster.ranks() != ranks)
        return trees::planned_tree(argument_error{"cluster", cluster.ranks(), "a cluster with as many nodes as ranks"});
    const plan_request request{cluster.switches, cluster.cost, bytes, root};
    if (way == direction::many_to_one) return many_to_one(Planner{}, request).tree(Planner::name);
    return Planner{}(request).tree(Planner::name);
}

}}  // namespace collsched::COLLSCHED_ABI
