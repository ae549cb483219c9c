#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/topology/switch_tree.hpp"
#include "collsched/tree/planners/greedy.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

namespace detail {

/// Returns the lowest switch above all nodes.
constexpr rank_t top_of(const topology::switch_tree& tree) {
    rank_t top = 0;
    for (rank_t e = 1; e < tree.switches(); ++e)
        if (tree.parent(e) == top && tree.population(e) == tree.nodes()) top = e;
    return top;
}

/// Returns the tree whose only switches below the root are the clusters: the children of the top switch.
constexpr topology::switch_tree clusters_of(const topology::switch_tree& tree) {
    const rank_t top = top_of(tree);
    owned_array<rank_t> cluster(tree.switches()), homes(tree.nodes());
    rank_t count = 0;
    for (rank_t e = top + 1; e < tree.switches(); ++e)
        cluster[e] = tree.parent(e) == top ? ++count : cluster[tree.parent(e)];
    for (rank_t r = 0; r < homes.size(); ++r) homes[r] = cluster[tree.home(r)];
    return {owned_array<rank_t>(count), homes};
}

/// Returns the head of each switch: the root of the plan if it is below the switch, else the lowest rank; -1 without
/// ranks.
constexpr owned_array<rank_t> heads_of(const topology::switch_tree& tree, rank_t root) {
    owned_array<rank_t> head(tree.switches());
    for (rank_t& h : head) h = -1;
    for (rank_t r = tree.nodes(); r-- > 0;) head[tree.home(r)] = r;
    for (rank_t e = tree.switches(); --e > 0;)
        if (rank_t& above = head[tree.parent(e)]; above < 0 || (head[e] >= 0 && head[e] < above)) above = head[e];
    for (rank_t e = tree.home(root); e >= 0; e = tree.parent(e)) head[e] = root;
    return head;
}

/// Returns the edges switch by switch from the root down: the head of a switch sends to its nodes and to the heads of
/// its child switches, as Between plans at the top and Within below.
template <class Between, class Within>
constexpr edge_list from_the_top(const tree_request& request, const topology::switch_tree& tree) {
    const owned_array<rank_t> head = heads_of(tree, request.root);
    const rank_t top = top_of(tree);
    owned_array<std::int64_t> end(tree.switches() + 1);  // of each one's part of the list `below`
    for (rank_t r = 0; r < tree.nodes(); ++r) ++end[tree.home(r) + 1];
    for (rank_t e = 1; e < tree.switches(); ++e) end[tree.parent(e) + 1] += head[e] >= 0 ? 1 : 0;
    for (rank_t e = 0; e < tree.switches(); ++e) end[e + 1] += end[e];
    owned_array<rank_t> below(end[tree.switches()]);
    owned_array<std::int64_t> next = end;
    for (rank_t r = 0; r < tree.nodes(); ++r) below[next[tree.home(r)]++] = r;
    for (rank_t e = 1; e < tree.switches(); ++e)
        if (head[e] >= 0) below[next[tree.parent(e)]++] = head[e];

    edge_list edges(request.ranks() - 1);
    std::int64_t n = 0;
    for (rank_t e = 0; e < tree.switches(); ++e) {
        if (end[e + 1] - end[e] < 2) continue;
        owned_array<rank_t> group(below.slice(end[e], end[e + 1]));
        collsched::detail::sort(group.begin(), group.size(), [](rank_t a, rank_t b) { return a < b; });
        const auto take = [&](const edge_list& chosen) {
            for (const trees::tree_edge& edge : chosen) edges[n++] = edge;
        };
        if (e == top) take(Between::group_edges(request, group, head[e]));
        else take(Within::group_edges(request, group, head[e]));
    }
    return edges;
}

/// Planner that returns the plan with the smallest completion time of several, the first one on ties.
template <class First, class... Others>
struct best_of {
    static constexpr edge_list group_edges(const tree_request& request, const owned_array<rank_t>& ranks, rank_t head) {
        edge_list best = First::group_edges(request, ranks, head);
        picoseconds best_time = completion(request, best);
        const auto consider = [&](edge_list edges) {
            const picoseconds time = completion(request, edges);
            if (time >= best_time) return;
            best_time = time;
            best = std::move(edges);
        };
        (consider(Others::group_edges(request, ranks, head)), ...);
        return best;
    }

  private:
    static constexpr picoseconds completion(const tree_request& request, const edge_list& edges) {
        return collsched::detail::latest(collsched::detail::ready_times(edges, request.cost, request.bytes, false));
    }
};

/// Base of the coarse planners: plans between clusters, then within each. Clusters are the children of the lowest
/// switch above all nodes; a node directly below it is a cluster. A rank that sends in both serves other clusters
/// first.
template <class Between, class Within, bool EveryLevel = false>
struct coarse {
    constexpr tree_plan operator()(const tree_request& request) const {
        return tree_plan_of(request, [&request] {
            if constexpr (EveryLevel) return from_the_top<Between, Within>(request, request.switches);
            else return from_the_top<Between, Within>(request, clusters_of(request.switches));
        });
    }
    bool operator==(const coarse&) const = default;
};

}  // namespace detail

/// The root sends to a coordinator of every other cluster; each coordinator sends down a binomial tree. O(p log p +
/// switches). Source: Kielmann, Hofman, Bal, Plaat, Bhoedjang 1999.
struct magpie : detail::coarse<flat_tree, binomial> {
    static constexpr const char* name = "magpie";
    static constexpr const char* source = "Kielmann et al. 1999";
};

/// Every level of the switch tree has heads: the root sends to those of the top level in sequence, lower levels use
/// binomial trees. O((p + switches) log p). Source: Karonis, de Supinski, Foster, Gropp, Lusk, Bresnahan 2000.
struct mpich_g : detail::coarse<flat_tree, binomial, true> {
    static constexpr const char* name = "mpich-g";
    static constexpr const char* source = "Karonis et al. 2000";
};

/// Fastest completing edge first (fcef) between the heads of clusters; within each cluster the best of flat_tree,
/// binomial and fcef. O(p^2 log p + switches) time, at most O(p^2) memory. Source: Lowekamp, Beguelin 1996.
struct eco : detail::coarse<fcef, detail::best_of<flat_tree, binomial, fcef>> {
    static constexpr const char* name = "eco";
    static constexpr const char* source = "Lowekamp, Beguelin 1996";
};

}}}  // namespace collsched::COLLSCHED_ABI::planners
