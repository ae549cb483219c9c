#pragma once

#include "collsched/collective/hierarchy.hpp"
#include "collsched/collective/detail/two_levels.hpp"
#include "collsched/topology/nested_placement.hpp"

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

}}  // namespace collsched::COLLSCHED_ABI
