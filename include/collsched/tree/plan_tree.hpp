#pragma once

#include "collsched/core/block_layout.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns the algorithm_info of a collective over the tree of a planner.
template <planner Planner>
constexpr algorithm_info planned_info(collective kind) {
    algorithm_info info{.collective = kind, .name = Planner::name, .rounds = "as planned", .source = Planner::source};
    if constexpr (requires { Planner::ranks; }) info.ranks = Planner::ranks;
    return info;
}

/// Returns the mean bytes of a block, rounded up: the message size that trees of block collectives are planned for. 0
/// for a wrong layout.
constexpr bytes_t mean_block(const block_layout& block, rank_t ranks) {
    if (ranks < 1 || block.check(ranks)) return 0;
    const bytes_t all = block.prefix(ranks);
    return all / ranks + (all % ranks > 0 ? 1 : 0);
}

}  // namespace detail

/// Returns the tree that a planner computes for messages of `bytes` bytes between the root and all ranks of a cluster.
///
/// @tparam Planner  as planners::mgo
/// @param way       direction of the messages
/// @param cluster   costs, and the switches above the ranks
/// @param ranks     as many as the cluster has
/// @param root      0 .. ranks-1
/// @param bytes     bytes of a message, 0 or more
/// Failure: check() of the tree reports wrong arguments. Complexity: that of the planner.
template <planner Planner>
constexpr trees::planned_tree plan_tree(tree_plan::direction way, const lob_model& cluster, rank_t ranks, rank_t root,
                                        bytes_t bytes) {
    if (cluster.ranks() != ranks)
        return trees::planned_tree(argument_error{"cluster", cluster.ranks(), "a cluster with as many nodes as ranks"});
    const tree_plan::request request{cluster.switches(), cluster, bytes, root};
    if (way == tree_plan::direction::many_to_one) return many_to_one(Planner{}, request).tree(Planner::name);
    return Planner{}(request).tree(Planner::name);
}

}}  // namespace collsched::COLLSCHED_ABI
