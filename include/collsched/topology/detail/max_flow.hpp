#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/signed_vector.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// A directed graph with capacities. Flows through it are arrays of one number per arc, which the caller keeps: several
/// flows may share a graph, and capacities may change between them. Arcs are numbered in the order of add().
class flow_graph {
  public:
    /// An arc.
    struct arc {
        rank_t from{}, to{};
        std::int64_t capacity{};
    };
    /// An arc seen from one of its ends. Searches read many: the numbers are short.
    struct half_arc {
        std::int32_t arc{};
        std::int32_t other{};  ///< vertex at the other end
        bool forward = true;   ///< whether the arc leaves this end
    };

    explicit flow_graph(rank_t vertices) : incident_(static_cast<std::size_t>(vertices)) {}

    /// Adds an arc and returns its number.
    std::int64_t add(rank_t from, rank_t to, std::int64_t capacity) {
        const std::int64_t number = arcs_.length();
        arcs_.push_back({from, to, capacity});
        const auto short_number = static_cast<std::int32_t>(number);
        incident_[from].push_back({short_number, static_cast<std::int32_t>(to), true});
        incident_[to].push_back({short_number, static_cast<std::int32_t>(from), false});
        return number;
    }
    /// Adds a vertex and returns its number.
    rank_t add_vertex() {
        incident_.emplace_back();
        return incident_.length() - 1;
    }
    rank_t vertices() const { return incident_.length(); }
    std::int64_t arcs() const { return arcs_.length(); }
    arc& operator[](std::int64_t number) { return arcs_[number]; }
    const arc& operator[](std::int64_t number) const { return arcs_[number]; }
    std::span<const half_arc> incident(rank_t v) const { return incident_[v]; }

    /// Returns how much more a flow can send over an arc from the given end, against the arc by sending less over it.
    std::int64_t residual(const half_arc& half, const std::int64_t* flow) const {
        return half.forward ? arcs_[half.arc].capacity - flow[half.arc] : flow[half.arc];
    }

  private:
    signed_vector<arc> arcs_;
    signed_vector<signed_vector<half_arc>> incident_;
};

/// Increases flows along shortest augmenting paths. Source: Dinic 1970. It keeps the memory of its searches.
class flow_search {
  public:
    /// Adds up to `limit` units from one vertex to another to a flow. Less is added only if no augmenting path is left;
    /// reached() then is the smallest side of a minimum cut.
    /// @param graph  the graph
    /// @param flow   per arc, 0 .. its capacity
    /// @param from   vertex that gets `limit` units to send
    /// @param to     another vertex
    /// @param limit  0 or more
    /// @return units added. O(V^2 E) for a whole flow, O(E) per path
    std::int64_t push(const flow_graph& graph, std::int64_t* flow, rank_t from, rank_t to, std::int64_t limit) {
        std::int64_t added = 0;
        while (added < limit && find_levels(graph, flow, from, to)) {
            added += augment_found(graph, flow, from, to, limit - added);
            if (added < limit) added += block(graph, flow, from, to, limit - added);
        }
        return added;
    }
    /// Removes up to `limit` units that a flow sends from `to` to `from`, and returns how many.
    std::int64_t take_back(const flow_graph& graph, std::int64_t* flow, rank_t from, rank_t to, std::int64_t limit) {
        only_back_ = true;
        const std::int64_t removed = push(graph, flow, from, to, limit);
        only_back_ = false;
        return removed;
    }
    /// Returns whether the last search of push() found a way from its source to v.
    bool reached(rank_t v) const { return level_[v] >= 0; }

  private:
    bool usable(const flow_graph& graph, const flow_graph::half_arc& half, const std::int64_t* flow) const {
        return graph.residual(half, flow) > 0 && !(only_back_ && half.forward);
    }

    /// Numbers vertices by their distance from the source, up to that of the target. Returns whether it is reached.
    bool find_levels(const flow_graph& graph, const std::int64_t* flow, rank_t from, rank_t to) {
        level_.assign(static_cast<std::size_t>(graph.vertices()), -1);
        queue_.assign(1, from);
        via_.resize(level_.size());
        level_[from] = 0;
        for (std::int64_t head = 0; head < queue_.length(); ++head) {
            const rank_t v = queue_[head];
            if (graph.incident(v).size() > graph.incident(to).size() && reaches_directly(graph, flow, v, to))
                return true;
            for (const flow_graph::half_arc& half : graph.incident(v)) {
                if (level_[half.other] >= 0 || !usable(graph, half, flow)) continue;
                level_[half.other] = level_[v] + 1;
                via_[half.other] = half;
                if (half.other == to) return true;
                queue_.push_back(half.other);
            }
        }
        return false;
    }

    /// Looks for an arc from v, which has many arcs, among the few of the target.
    bool reaches_directly(const flow_graph& graph, const std::int64_t* flow, rank_t v, rank_t to) {
        for (const flow_graph::half_arc& half : graph.incident(to)) {
            const flow_graph::half_arc reversed{half.arc, static_cast<std::int32_t>(to), !half.forward};
            if (half.other != v || !usable(graph, reversed, flow)) continue;
            level_[to] = level_[v] + 1;
            via_[to] = reversed;
            return true;
        }
        return false;
    }
    /// Adds the path that find_levels() has found.
    std::int64_t augment_found(const flow_graph& graph, std::int64_t* flow, rank_t from, rank_t to,
                               std::int64_t limit) {
        path_.clear();
        for (rank_t v = to; v != from; v = tail(graph, via_[v])) path_.push_back(via_[v]);
        return augment(graph, flow, limit);
    }

    /// Adds paths along which levels rise until none is left: a blocking flow.
    std::int64_t block(const flow_graph& graph, std::int64_t* flow, rank_t from, rank_t to, std::int64_t limit) {
        next_.assign(static_cast<std::size_t>(graph.vertices()), 0);
        std::int64_t added = 0;
        path_.clear();
        for (rank_t v = from; added < limit;) {
            if (v == to) {
                added += augment(graph, flow, limit - added);
                path_.clear();
                v = from;
            } else if (advance(graph, flow, v)) {
                v = path_.back().other;
            } else if (path_.empty()) {
                break;
            } else {
                v = tail(graph, path_.back());
                path_.pop_back();
                ++next_[v];
            }
        }
        return added;
    }
    /// Appends the next usable arc of v to the path.
    bool advance(const flow_graph& graph, const std::int64_t* flow, rank_t v) {
        const std::span<const flow_graph::half_arc> incident = graph.incident(v);
        for (std::int64_t& i = next_[v]; i < static_cast<std::int64_t>(incident.size()); ++i) {
            const flow_graph::half_arc& half = incident[static_cast<std::size_t>(i)];
            if (level_[half.other] != level_[v] + 1 || !usable(graph, half, flow)) continue;
            path_.push_back(half);
            return true;
        }
        return false;
    }
    static rank_t tail(const flow_graph& graph, const flow_graph::half_arc& half) {
        return half.forward ? graph[half.arc].from : graph[half.arc].to;
    }
    std::int64_t augment(const flow_graph& graph, std::int64_t* flow, std::int64_t limit) {
        for (const flow_graph::half_arc& half : path_) {
            const std::int64_t room = graph.residual(half, flow);
            if (room < limit) limit = room;
        }
        for (const flow_graph::half_arc& half : path_) flow[half.arc] += half.forward ? limit : -limit;
        return limit;
    }

    bool only_back_ = false;  // whether paths may only reduce the flow
    signed_vector<rank_t> level_, queue_;
    signed_vector<std::int64_t> next_;
    signed_vector<flow_graph::half_arc> via_, path_;  // via_: per vertex, the arc by which it was found
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
