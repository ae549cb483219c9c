#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/detail/heap.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A model of a network whose links carry one transfer at a time. An edge of a schedule is one transfer, which moves as a
/// whole from vertex to vertex of its path. A link is occupied for bytes / bandwidth, and the transfer reaches the next
/// vertex one latency later. With `latency_occupies` the link is occupied for the latency too.
///
/// A free link takes, of the transfers that wait for it, one of the smallest step, and of these the first that arrived.
/// A transfer takes the one of parallel links where it ends first. Processors, copies and combinations take no time. A send is complete when its last byte has left
/// the rank.
/// Source: the cost model of TACOS (Won et al. 2024), which has latency_occupies, and of TE-CCL (Liu et al. 2024).
struct link_queue_model {
    /// Appends the vertices of the path of an edge, from src to dst, or nothing.
    using router = std::function<void(const edge& e, std::vector<rank_t>& path)>;

    topology::network net{};        ///< ranks, switches and links
    router paths{};                 ///< paths of edges; empty, or for an edge without one: a shortest path
    bool latency_occupies = false;  ///< whether a link is occupied for its latency too

    /// Returns the number of ranks.
    rank_t ranks() const { return net.ranks(); }
    /// Returns the error of the network.
    argument_error check() const {
        if (argument_error error = net.check()) return error;
        if (net.ranks() < 1) return {"ranks", net.ranks(), "a network with ranks"};
        return {};
    }
};

namespace detail {

/// The links out of each vertex, and shortest paths by number of links.
class network_paths {
  public:
    explicit network_paths(const topology::network& net)
        : net_(net), out_(static_cast<std::size_t>(net.vertices())), in_(out_.size()), distances_(out_.size()) {
        for (std::size_t i = 0; i < net.links().size(); ++i) {
            out_[static_cast<std::size_t>(net.links()[i].from)].push_back(static_cast<std::int32_t>(i));
            in_[static_cast<std::size_t>(net.links()[i].to)].push_back(static_cast<std::int32_t>(i));
        }
    }

    /// Calls f(link index) for each link between two vertices.
    template <class F>
    void for_each_link(rank_t from, rank_t to, F f) const {
        for (const std::int32_t i : out_[static_cast<std::size_t>(from)])
            if (net_[i].to == to) f(i);
    }

    /// Appends the vertices of a shortest path; nothing if there is none. Switches forward and ranks do not, unless no
    /// other path exists. The predecessor of index (from + to) modulo their number is taken, which spreads pairs over
    /// equal paths. O(links) for the first path from a vertex, then O(path).
    void append_shortest(rank_t from, rank_t to, std::vector<rank_t>& path) {
        const std::vector<std::int64_t>& distance = distances_from(from);
        if (distance[static_cast<std::size_t>(to)] == unreachable) return;
        const std::size_t begin = path.size();
        path.push_back(to);
        std::vector<rank_t> before;
        for (rank_t v = to; v != from; v = path.back()) {
            before.clear();
            for (const std::int32_t i : in_[static_cast<std::size_t>(v)]) {
                const rank_t u = net_[i].from;
                const std::int64_t path_length = distance[static_cast<std::size_t>(u)];
                if (path_length != unreachable &&
                    path_length + cost_of(u, from) == distance[static_cast<std::size_t>(v)])
                    before.push_back(u);
            }
            std::ranges::sort(before);
            before.erase(std::unique(before.begin(), before.end()), before.end());
            path.push_back(before[static_cast<std::size_t>(from + to) % before.size()]);
        }
        std::reverse(path.begin() + static_cast<std::ptrdiff_t>(begin), path.end());
    }

  private:
    static constexpr std::int64_t unreachable = std::numeric_limits<std::int64_t>::max();

    /// Returns the cost of a link out of a vertex: 1 at switches and at the source, more than all switches at ranks that
    /// would have to forward.
    std::int64_t cost_of(rank_t v, rank_t source) const {
        return v == source || net_.is_switch(v) ? 1 : 1 + net_.switches();
    }

    const std::vector<std::int64_t>& distances_from(rank_t from) {
        std::vector<std::int64_t>& distance = distances_[static_cast<std::size_t>(from)];
        if (!distance.empty()) return distance;
        distance.assign(out_.size(), unreachable);
        distance[static_cast<std::size_t>(from)] = 0;
        heap<std::pair<std::int64_t, rank_t>> reached;
        for (reached.push({0, from}); !reached.empty();) {
            const auto [length, v] = reached.take();
            if (length > distance[static_cast<std::size_t>(v)]) continue;
            for (const std::int32_t i : out_[static_cast<std::size_t>(v)]) {
                const rank_t to = net_[i].to;
                const std::int64_t total = length + cost_of(v, from);
                if (total >= distance[static_cast<std::size_t>(to)]) continue;
                distance[static_cast<std::size_t>(to)] = total;
                reached.push({total, to});
            }
        }
        return distance;
    }

    const topology::network& net_;
    std::vector<std::vector<std::int32_t>> out_, in_;   // links per vertex
    std::vector<std::vector<std::int64_t>> distances_;  // per source, found when needed
};

/// The paths of edges on the links of a network, each path once. A hop is a pair of joined vertices of a path.
class edge_routes {
  public:
    explicit edge_routes(const link_queue_model& model) : model_(model), shortest_(model.net) {}

    /// Returns the number of the path of an edge. O(log(paths) + path); a new shortest path takes O(links) per source.
    std::int32_t route_of(const edge& e) {
        path_.clear();
        if (model_.paths) model_.paths(e, path_);
        if (path_.empty()) shortest_.append_shortest(e.src, e.dst, path_);
        const auto [found, added] = route_index_.try_emplace(path_, static_cast<std::int32_t>(routes_.size()));
        if (!added) return found->second;
        std::vector<std::size_t> hops;
        if (path_.size() < 2 || path_.front() != e.src || path_.back() != e.dst) refuse(e);
        for (std::size_t n = 0; n + 1 < path_.size() && !error_; ++n) hops.push_back(hop(path_[n], path_[n + 1], e));
        routes_.push_back(std::move(hops));
        return found->second;
    }
    /// Returns the error of an edge without a path.
    argument_error check() const { return error_; }
    /// Returns the numbers of the hops of a path, 0 .. hops()-1.
    std::span<const std::size_t> hops_of(std::int32_t route) const { return routes_[static_cast<std::size_t>(route)]; }
    std::size_t hops() const { return parallel_.size(); }
    /// Returns the parallel links of a hop.
    std::span<const std::int32_t> links(std::size_t hop) const { return parallel_[hop]; }

  private:
    std::size_t hop(rank_t from, rank_t to, const edge& e) {
        const auto [found, added] = hops_.try_emplace({from, to}, parallel_.size());
        if (!added) return found->second;
        parallel_.emplace_back();
        const rank_t end = model_.net.vertices();
        if (from >= 0 && to >= 0 && from < end && to < end)
            shortest_.for_each_link(from, to, [&](std::int32_t i) { parallel_.back().push_back(i); });
        if (parallel_.back().empty()) refuse(e);
        return found->second;
    }
    void refuse(const edge& e) { error_ = {"path", e.dst, "a path over links of the network, from source to target"}; }

    const link_queue_model& model_;
    network_paths shortest_;
    std::vector<rank_t> path_;
    std::map<std::vector<rank_t>, std::int32_t> route_index_;
    std::map<std::pair<rank_t, rank_t>, std::size_t> hops_;
    std::vector<std::vector<std::size_t>> routes_;     // per path: its hops
    std::vector<std::vector<std::int32_t>> parallel_;  // per hop: its links
    argument_error error_;
};

/// The transfers of all messages of a graph: one per edge of the schedule, with the links of its path.
class network_transfers {
  public:
    struct transfer {
        std::int64_t send = 0;  ///< vertex of the graph
        step_t step = 0;
        bytes_t bytes = 0;
        std::int32_t path = 0;
    };

    /// O(edges * (log(paths) + path)). Memory: 32 bytes per edge, and each path once.
    /// @pre no error in graph and model, and the graph is that of x
    template <schedulable X>
    network_transfers(const X& x, const execution_graph& graph, const link_queue_model& model, binding binding)
        : routes_(model), first_(graph.nodes().size() + 1) {
        const auto& s = lower(x);
        const contract contract = s.contract();
        for (rank_t r = 0; r < s.ranks && !error_; ++r) {
            const buffer_alias alias = contract.alias(r, binding);
            std::int64_t node = graph.first(r) - 1;
            edge last{.step = -1};
            for (const edge& e : program(s, r)) {
                if (error_) return;
                if (e.is_local() || e.src != r || vanishes(alias, e)) continue;
                if (e.step != last.step || e.dst != last.dst) node = next_send(graph, node + 1, r);
                last = e;
                if (node < 0 || graph[graph[node].peer].rank != e.dst) {
                    error_ = {"schedule", e.step, "messages in the order of steps and targets"};
                    return;
                }
                ++first_[static_cast<std::size_t>(node) + 1];
                all_.push_back({node, e.step, e.size, routes_.route_of(e)});
                error_ = routes_.check();
            }
        }
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    }

    argument_error check() const { return error_; }
    /// Returns all transfers, those of a send in sequence.
    std::span<const transfer> all() const { return all_; }
    /// Returns the first transfer of vertex i, and their number.
    std::int64_t first(std::int64_t i) const { return first_[static_cast<std::size_t>(i)]; }
    std::int64_t count(std::int64_t i) const { return first_[static_cast<std::size_t>(i) + 1] - first(i); }
    std::int32_t hops(std::int64_t t) const { return static_cast<std::int32_t>(routes_.hops_of(route(t)).size()); }
    /// Returns the parallel links of a hop.
    std::span<const std::int32_t> links(std::int64_t t, std::int32_t hop) const {
        return routes_.links(routes_.hops_of(route(t))[static_cast<std::size_t>(hop)]);
    }

  private:
    std::int32_t route(std::int64_t t) const { return all_[static_cast<std::size_t>(t)].path; }

    static std::int64_t next_send(const execution_graph& graph, std::int64_t i, rank_t r) {
        while (i < graph.first(r + 1) && graph[i].kind != execution_graph::kind::send) ++i;
        return i < graph.first(r + 1) ? i : -1;
    }

    edge_routes routes_;
    std::vector<std::int64_t> first_;
    std::vector<transfer> all_;
    argument_error error_;
};

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
