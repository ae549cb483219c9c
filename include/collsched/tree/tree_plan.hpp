#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/block_layout.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/topology/switch_tree.hpp"
#include "collsched/tree/planned_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns the time at which each rank is ready after messages of `bytes` bytes that start in the order of `edges`. A
/// message from i, ready at R, occupies i until R + o(i) + (m-1)/b(i,j) and arrives L(i,j) later; j then receives it in
/// o(j) as soon as j is ready. One-to-many: parents send to children; many-to-one: children send to parents. O(ranks).
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

/// Returns the largest time.
constexpr picoseconds latest(const owned_array<picoseconds>& ready) {
    picoseconds last = 0;
    for (const picoseconds t : ready) last = last < t ? t : last;
    return last;
}

}  // namespace detail

/// Result of a planner: the edges of a spanning tree in order of sends, and their times in the (L, o, b) model. With an
/// error there are no edges.
struct tree_plan {
    /// Direction of the messages of a planned tree: from the root, or to the root.
    enum class direction : std::uint8_t { one_to_many, many_to_one };

    /// Input of a planner: `bytes` bytes move from the root to every rank. Ranks are the nodes of `switches` and of
    /// `cost`.
    struct request {
        topology::switch_tree switches;  ///< switch_tree::flat(ranks) if unknown
        lob_model cost;                  ///< costs of messages between the ranks
        bytes_t bytes = 0;               ///< bytes m of a message, 0 or more
        rank_t root = 0;                 ///< 0 .. ranks-1

        /// Returns the number of ranks.
        constexpr rank_t ranks() const { return cost.ranks(); }
        /// Returns o(i) + (m-1)/b(i,j), in picoseconds: the time that a message to j occupies i.
        ///
        /// @param i  sender, 0 .. ranks()-1
        /// @param j  receiver, 0 .. ranks()-1
        constexpr picoseconds busy(rank_t i, rank_t j) const { return cost.overhead(i) + cost.stream(i, j, bytes); }
        /// Returns C(i,j) = o(i) + (m-1)/b(i,j) + L(i,j) + o(j), in picoseconds: the time until j has the message.
        ///
        /// @param i  sender, 0 .. ranks()-1
        /// @param j  receiver, 0 .. ranks()-1
        constexpr picoseconds duration(rank_t i, rank_t j) const {
            return busy(i, j) + cost.latency(i, j) + cost.overhead(j);
        }
        /// Returns the request with the direction of every link reversed. duration(i, j) of the result is duration(j, i)
        /// of this request, read from a row of a matrix in place of a column.
        constexpr request mirrored() const {
            request other = *this;
            other.cost = cost.transposed();
            return other;
        }
        /// Returns the first error, or no error.
        constexpr argument_error check() const {
            if (argument_error mistake = cost.check(ranks(), bytes)) return mistake;
            if (argument_error mistake = switches.check()) return mistake;
            if (switches.nodes() != ranks()) return {"nodes", switches.nodes(), "as many in the tree as in the model"};
            if (root < 0 || root >= ranks()) return {"root", root, "0 to ranks-1"};
            return {};
        }
        bool operator==(const request&) const = default;
    };

    rank_t root = 0;                      ///< that of the request
    bytes_t bytes = 0;                    ///< those of the request
    bool many_to_one = false;             ///< whether children send to parents
    owned_array<trees::tree_edge> edges;  ///< in order of sends; many-to-one: the child sends
    owned_array<picoseconds> ready;       ///< per rank, in picoseconds
    picoseconds completion = 0;           ///< the largest ready time
    argument_error error;                 ///< reason for a plan without edges, or no error

    /// Returns the tree, with sends in one-to-many order. O(ranks).
    ///
    /// @param planner  name of the planner, for reports
    constexpr trees::planned_tree tree(const char* planner) const {
        if (error) return trees::planned_tree(error);
        if (many_to_one) return {ready.size(), root, reversed(edges), planner};
        return {ready.size(), root, edges, planner};
    }
    bool operator==(const tree_plan&) const = default;

    /// Returns the plan without edges that reports `error`.
    ///
    /// @param request      the request
    /// @param error        the error in it
    /// @param many_to_one  whether children send to parents
    static constexpr tree_plan refused(const request& request, const argument_error& error, bool many_to_one = false) {
        tree_plan plan;
        plan.root = request.root;
        plan.bytes = request.bytes;
        plan.many_to_one = many_to_one;
        plan.error = error;
        return plan;
    }
    /// Returns edges in reverse order. O(edges).
    ///
    /// @param edges  edges in order of sends
    static constexpr owned_array<trees::tree_edge> reversed(const owned_array<trees::tree_edge>& edges) {
        owned_array<trees::tree_edge> backwards(edges.size());
        for (std::int64_t i = 0; i < edges.size(); ++i) backwards[edges.size() - 1 - i] = edges[i];
        return backwards;
    }
};

/// Returns the plan with the edges that choose() returns and their times. choose() is not called for a wrong request.
/// For authors of planners.
///
/// @param request      the request
/// @param choose       callable, choose(), which returns the edges in order of sends
/// @param many_to_one  whether children send to parents
template <class Choose>
constexpr tree_plan tree_plan_of(const tree_plan::request& request, Choose choose, bool many_to_one = false) {
    tree_plan plan = tree_plan::refused(request, request.check(), many_to_one);
    if (plan.error) return plan;
    plan.edges = choose();
    plan.ready = detail::ready_times(plan.edges, request.cost, request.bytes, many_to_one);
    plan.completion = detail::latest(plan.ready);
    return plan;
}

/// A planner returns the one-to-many plan p(request): equal requests, equal plans. It may have back(request) for
/// many-to-one plans that are not mirrored one-to-many plans.
template <class P>
concept planner = std::regular<P> && requires(const P& p, const tree_plan::request& request) {
    { P::name } -> std::convertible_to<const char*>;
    { P::source } -> std::convertible_to<const char*>;
    { p(request) } -> std::same_as<tree_plan>;
};

/// Returns the many-to-one plan of a planner: back(request), or else the plan of the mirrored request with its edges in
/// reverse order.
///
/// @param plan     the planner
/// @param request  the request
template <planner Planner>
constexpr tree_plan many_to_one(const Planner& plan, const tree_plan::request& request) {
    if constexpr (requires { plan.back(request); }) {
        return plan.back(request);
    } else {
        tree_plan mirrored = plan(request.mirrored());
        mirrored.many_to_one = true;
        if (mirrored.error) return mirrored;
        return tree_plan_of(request, [&] { return tree_plan::reversed(mirrored.edges); }, true);
    }
}

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
