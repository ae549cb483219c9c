#pragma once

#include <type_traits>

#include "collsched/collective/hierarchy.hpp"
#include "collsched/topology/nested_placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Whether A is hierarchical: it has a placement, and an algorithm `outer` for one leader per node.
template <class A>
concept hierarchical_algorithm = requires(std::remove_const_t<A>& a) {
    a.placement = topology::placement();
    a.outer;
};

/// Calls f(algorithm) for every hierarchical algorithm among a, its outer one, the outer one of that, and so on, also
/// within a reversal or another algorithm `of`.
template <class A>
constexpr void for_each_level(A& a, auto f) {
    if constexpr (hierarchical_algorithm<A>) f(a);
    if constexpr (requires { a.outer; }) for_each_level(a.outer, f);
    else if constexpr (requires { a.of; }) for_each_level(a.of, f);
}

/// Returns the node of each leader: that of the first member of its group. An empty placement stays empty.
template <class Groups>
constexpr topology::placement placed_leaders(const topology::placement& all, const Groups& groups) {
    if (all.ranks() != groups.ranks()) return {};
    owned_array<rank_t> nodes(groups.groups());
    for (rank_t g = 0; g < nodes.size(); ++g) nodes[g] = all.node(groups.member(g, 0));
    return topology::placement::list(nodes, all.nodes());
}

}  // namespace detail

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
constexpr A with_levels(A a, const topology::nested_placement& levels) {
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

/// A collective in levels: parts within groups of ranks, and a part among one leader per group. The part among the
/// leaders may be in levels itself, so that ranks, sockets, nodes and racks have an algorithm each. `then` joins the parts.
template <grouping_of_ranks Groups>
struct two_levels {
    contract whole;                          ///< contract of the collective of all ranks
    Groups groups;                           ///< groups of all ranks
    detail::leader_group<Groups> leaders{};  ///< one leader per group

    /// Groups of which the first members lead, or the last ones.
    /// @param all      contract of the collective of all ranks
    /// @param grouped  groups of all ranks
    /// @param chosen   a rank that leads its own group in place of that member; -1: none
    /// @param last     the last members lead instead of the first ones
    constexpr two_levels(const contract& all, const Groups& grouped, rank_t chosen = -1, bool last = false)
        : whole(all), groups(grouped), leaders(leaders_of(grouped, chosen, last)) {}

    /// Returns the parts of an algorithm: part(g) is the algorithm on the ranks of group g.
    /// @param a      an algorithm
    /// @param share  share(g) returns the contract of the part of group g. Its number of ranks is set here
    template <class A, class Share>
    constexpr auto parts(const A& a, const Share& share) const {
        return [a, share, grouped = groups](rank_t g) {
            contract part = share(g);
            part.ranks = grouped.size(g);
            return with_contract(a, part);
        };
    }
    /// Returns the algorithm of the leaders. Placements of a hierarchical one place all ranks; those of the result place
    /// the leaders.
    /// @param outer  an algorithm
    /// @param among  contract of the leaders. Its number of ranks is set here
    template <class Outer>
    constexpr Outer led(Outer outer, contract among) const {
        detail::for_each_level(outer,
                               [&](auto& level) { level.placement = detail::placed_leaders(level.placement, groups); });
        among.ranks = groups.groups();
        return with_contract(outer, among);
    }

    /// Returns part(g) on every group g at the same time.
    /// @param part   part(g) returns the schedule or algorithm of group g
    /// @param where  where(rank, buffer) returns the location or region of that rank's buffer
    constexpr auto within(const auto& part, const auto& where) const {
        return run_in_groups(groups, part, where, whole);
    }
    /// Returns the algorithm of the leaders.
    /// @param outer  a schedule or algorithm on as many ranks as there are groups
    /// @param where  where(rank, buffer) returns the location or region of that rank's buffer
    constexpr auto across(const auto& outer, const auto& where) const {
        return run_in_groups(leaders, [outer](rank_t) { return outer; }, where, whole);
    }
};

}}  // namespace collsched::COLLSCHED_ABI
