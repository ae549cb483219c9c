#pragma once

#include <type_traits>

#include "collsched/collective/with_contract.hpp"
#include "collsched/combine/rank_groups.hpp"
#include "collsched/combine/run_in_groups.hpp"
#include "collsched/combine/then.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

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

/// A collective in levels: parts within groups of ranks, and a part among one leader per group. The part among the
/// leaders may be in levels itself, so that ranks, sockets, nodes and racks have an algorithm each. `then` joins the parts.
template <grouping_of_ranks Groups>
struct two_levels {
    collsched::contract contract;    ///< contract of the collective of all ranks
    Groups groups;                   ///< groups of all ranks
    leader_group<Groups> leaders{};  ///< one leader per group

    /// Groups of which the first members lead, or the last ones.
    /// @param all      contract of the collective of all ranks
    /// @param grouped  groups of all ranks
    /// @param chosen   a rank that leads its own group in place of that member; -1: none
    /// @param last     the last members lead instead of the first ones
    constexpr two_levels(const collsched::contract& all, const Groups& grouped, rank_t chosen = -1, bool last = false)
        : contract(all), groups(grouped), leaders(leaders_of(grouped, chosen, last)) {}

    /// Returns the parts of an algorithm: part(g) is the algorithm on the ranks of group g.
    /// @param a      an algorithm
    /// @param share  share(g) returns the contract of the part of group g. Its number of ranks is set here
    template <class A, class Share>
    constexpr auto parts(const A& a, const Share& share) const {
        return [a, share, grouped = groups](rank_t g) {
            collsched::contract part = share(g);
            part.ranks = grouped.size(g);
            return with_contract(a, part);
        };
    }
    /// Returns the algorithm of the leaders. Placements of a hierarchical one place all ranks; those of the result place
    /// the leaders.
    /// @param outer            an algorithm
    /// @param leader_contract  contract of the leaders. Its number of ranks is set here
    template <class Outer>
    constexpr Outer led(Outer outer, collsched::contract leader_contract) const {
        for_each_level(outer, [&](auto& level) { level.placement = placed_leaders(level.placement, groups); });
        leader_contract.ranks = groups.groups();
        return with_contract(outer, leader_contract);
    }

    /// Returns part(g) on every group g at the same time.
    /// @param part   part(g) returns the schedule or algorithm of group g
    /// @param where  where(rank, buffer) returns the location or region of that rank's buffer
    constexpr auto within(const auto& part, const auto& where) const {
        return run_in_groups(groups, part, where, contract);
    }
    /// Returns the algorithm of the leaders.
    /// @param outer  a schedule or algorithm on as many ranks as there are groups
    /// @param where  where(rank, buffer) returns the location or region of that rank's buffer
    constexpr auto across(const auto& outer, const auto& where) const {
        return run_in_groups(leaders, [outer](rank_t) { return outer; }, where, contract);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
