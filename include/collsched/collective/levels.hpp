#pragma once

#include "collsched/collective/hierarchy.hpp"
#include "collsched/collective/detail/two_levels.hpp"
#include "collsched/core/detail/rank_interval.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the first error in the placements of a hierarchical algorithm and of its outer ones, or no error. All of them
/// place the same ranks, and ranks that share a node of one share a node of the next.
/// @param a  a hierarchical algorithm
template <class A>
constexpr argument_error check_levels(const A& a) {
    argument_error first;
    const topology::placement* inner = &a.placement;
    detail::for_each_level(a, [&](const auto& level) {
        if (!first) first = check_placement(level.placement, a.ranks);
        if (!first) first = topology::check_nested(*inner, level.placement);
        inner = &level.placement;
    });
    return first;
}

/// Returns a hierarchical algorithm with the placements of `levels`: the innermost one for itself, the next for its outer
/// algorithm, and so on. Outer algorithms beyond the last level have all ranks on one node.
/// @param a       a hierarchical algorithm, whose outer one may be hierarchical too
/// @param levels  placements of the ranks of the algorithm. check() of the result reports wrong ones, and more levels than
///                the algorithm has
template <class A>
constexpr A with_levels(A a, const topology::placement::nested& levels) {
    rank_t depth = 0;
    detail::for_each_level(a, [&](auto& level) {
        level.placement = topology::placement();
        if (depth < levels.levels()) level.placement = levels.level(depth);
        ++depth;
    });
    argument_error error = levels.check();
    if (!error && levels.levels() > depth)
        error = {"levels", levels.levels(), "a placement per level of the algorithm"};
    bool outermost = false;
    if (error)
        detail::for_each_level(a, [&](auto& level) {
            if (!outermost) level.placement = topology::placement(error);
            outermost = true;
        });
    return a;
}

/// Returns an error unless the ranks of each node are one interval of the canonical tree (rank_interval), all of the same
/// depth. Then the canonical tree of all ranks consists of those of the nodes, and of the canonical tree of the nodes in
/// rank order. An empty placement is valid. O(ranks log ranks).
///
/// @param placement  node of every rank, or empty
/// @param ranks      number of ranks, 1 or more
constexpr argument_error check_aligned(const topology::placement& placement, rank_t ranks) {
    if (argument_error error = check_placement(placement, ranks)) return error;
    const rank_groups groups = groups_of(placement, ranks);
    step_t depth = 0;
    while (detail::rank_interval::at(ranks, 0, depth).size > groups.size(0)) ++depth;
    for (rank_t g = 0; g < groups.groups(); ++g) {
        const rank_t first = groups.member(g, 0);
        if (!groups.consecutive() ||
            !(detail::rank_interval::at(ranks, first, depth) == detail::rank_interval{first, groups.size(g)}))
            return {"placement", groups.size(g), "nodes that are intervals of the canonical tree, all of one depth",
                    first};
    }
    return {};
}

namespace detail {

/// A hierarchical reduction H whose parts have canonical results, restricted to placements whose nodes are aligned
/// (check_aligned). So every element of the result is the canonical tree of all ranks. Rounds, bytes and memory are those
/// of H. Keeps the order of operands.
template <described H>
struct on_aligned_nodes {
    H of{};  ///< the reduction, with its parameters

    static constexpr algorithm_info info = [] {
        algorithm_info result = H::info;
        result.name = "interval-hierarchical";
        result.commutative = false;
        return result;
    }();

    constexpr auto view() const { return lower(of); }
    constexpr argument_error check() const {
        if (argument_error error = check_parameters(of)) return error;
        return check_aligned(of.placement, of.ranks);
    }
    static constexpr void parameters(auto& self, auto f) { H::parameters(self.of, f); }
    bool operator==(const on_aligned_nodes&) const = default;
};

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
