#pragma once

#include <concepts>
#include <span>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/cluster_model.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/topology/switch_tree.hpp"
#include "collsched/tree/planned_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// What a planner is asked: how to bring `bytes` from the root to every rank. Ranks are the nodes of the tree and of the
/// model alike.
struct plan_request {
    topology::switch_tree switches;  ///< switch_tree::flat(ranks) where nothing is known
    lob_model cost;
    bytes_t bytes = 0;
    rank_t root = 0;

    constexpr rank_t ranks() const { return cost.ranks(); }
    /// o(i) + (m-1)/b(i,j): how long a message to j keeps i.
    constexpr picoseconds busy(rank_t i, rank_t j) const { return cost.overhead(i) + cost.stream(i, j, bytes); }
    /// C(i,j) = o(i) + (m-1)/b(i,j) + L(i,j) + o(j): how long it takes until j is ready.
    constexpr picoseconds whole(rank_t i, rank_t j) const { return busy(i, j) + cost.latency(i, j) + cost.overhead(j); }
    /// With every link the other way round. All costs but busy() are as many from i to j there as from j to i here: what is asked
    /// from many ranks to one is asked there, so that it is read from a row of a matrix and not from a column.
    constexpr plan_request mirrored() const {
        plan_request other = *this;
        other.cost = cost.transposed();
        return other;
    }
    /// The first thing wrong.
    constexpr argument_error check() const {
        if (argument_error error = cost.check(ranks(), bytes)) return error;
        if (argument_error error = cluster_model{switches, cost}.check()) return error;
        if (root < 0 || root >= ranks()) return {"root", root, "0 to ranks-1"};
        return {};
    }
    bool operator==(const plan_request&) const = default;
};

namespace detail {

/// When each rank is ready, in picoseconds, after these messages of m bytes, which start in the order of the list. A message
/// from i, ready at R, keeps i until R + o(i) + (m-1)/b(i,j) and arrives L(i,j) later; j takes it in as soon as it is ready
/// itself, in o(j). One-to-many parents send to children, many-to-one children send to parents. O(ranks).
constexpr owned_array<picoseconds> ready_times(std::span<const trees::tree_edge> edges, const lob_model& cost,
                                               bytes_t bytes, bool many_to_one) {
    owned_array<picoseconds> ready(cost.ranks());
    for (const auto& [parent, child] : edges) {
        const rank_t i = many_to_one ? child : parent, j = many_to_one ? parent : child;
        ready[i] += cost.overhead(i) + cost.stream(i, j, bytes);
        const picoseconds arrival = ready[i] + cost.latency(i, j);
        ready[j] = (ready[j] < arrival ? arrival : ready[j]) + cost.overhead(j);
    }
    return ready;
}

/// When all are ready.
constexpr picoseconds latest(const owned_array<picoseconds>& ready) {
    picoseconds last = 0;
    for (const picoseconds t : ready) last = last < t ? t : last;
    return last;
}

}  // namespace detail

/// Who sends to whom in which order, and what that takes in the (L, o, b) model. With something wrong there are no edges.
struct tree_plan {
    rank_t root = 0;
    bytes_t bytes = 0;
    bool many_to_one = false;
    owned_array<trees::tree_edge> edges;  ///< as chosen; many-to-one as they happen, and the child sends
    owned_array<picoseconds> ready;       ///< of each rank
    picoseconds completion = 0;           ///< when the last one is ready
    argument_error error;

    /// The tree, with sends in their one-to-many order.
    constexpr trees::planned_tree tree(const char* planner) const {
        if (error) return trees::planned_tree(error);
        if (many_to_one) return {ready.size(), root, reversed(edges), planner};
        return {ready.size(), root, edges, planner};
    }
    bool operator==(const tree_plan&) const = default;

    static constexpr tree_plan refused(const plan_request& request, const argument_error& error,
                                       bool many_to_one = false) {
        tree_plan plan;
        plan.root = request.root;
        plan.bytes = request.bytes;
        plan.many_to_one = many_to_one;
        plan.error = error;
        return plan;
    }
    static constexpr owned_array<trees::tree_edge> reversed(const owned_array<trees::tree_edge>& edges) {
        owned_array<trees::tree_edge> backwards(edges.size());
        for (std::int64_t i = 0; i < edges.size(); ++i) backwards[edges.size() - 1 - i] = edges[i];
        return backwards;
    }
};

/// The plan with the edges that choose() gives; choose is not called where the request is wrong.
template <class Choose>
constexpr tree_plan tree_plan_of(const plan_request& request, Choose choose, bool many_to_one = false) {
    tree_plan plan = tree_plan::refused(request, request.check(), many_to_one);
    if (plan.error) return plan;
    plan.edges = choose();
    plan.ready = detail::ready_times(plan.edges, request.cost, request.bytes, many_to_one);
    plan.completion = detail::latest(plan.ready);
    return plan;
}

/// Makes one-to-many plans: p(request), the same for the same request, wherever it runs. One whose many-to-one plans are not the
/// mirror of these has back(request) too.
template <class P>
concept planner = std::regular<P> && requires(const P& p, const plan_request& request) {
    { P::name } -> std::convertible_to<const char*>;
    { P::source } -> std::convertible_to<const char*>;
    { p(request) } -> std::same_as<tree_plan>;
};

/// The mirror of one-to-many: planned from the root with every link the other way round, then run backwards; unless the
/// planner has a way of its own.
template <planner Planner>
constexpr tree_plan many_to_one(const Planner& plan, const plan_request& request) {
    if constexpr (requires { plan.back(request); }) {
        return plan.back(request);
    } else {
        tree_plan mirrored = plan(request.mirrored());
        mirrored.many_to_one = true;
        if (mirrored.error) return mirrored;
        return tree_plan_of(request, [&] { return tree_plan::reversed(mirrored.edges); }, true);
    }
}

}}  // namespace collsched::COLLSCHED_ABI
