#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/max_flow.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// The shortest paths from one vertex, by the sum of prices of arcs, then by the number of arcs. It keeps the memory of
/// its searches. O(V^2 + E) per search. Source: Dijkstra 1959.
class shortest_paths {
  public:
    /// Finds the paths from `source`.
    /// @param graph   the graph
    /// @param prices  per arc, 0 or more; sums along paths are below 2^63
    void find(const flow_graph& graph, std::span<const std::int64_t> prices, rank_t source) {
        const rank_t vertices = graph.vertices();
        at_.assign(static_cast<std::size_t>(vertices), {});
        order_.clear();
        at_[source] = {0, 0, true, false};
        for (rank_t v = source; v >= 0; v = closest()) {
            at_[v].settled = true;
            order_.push_back(v);
            for (const flow_graph::half_arc& half : graph.incident(v))
                if (half.forward) relax(v, half.other, prices[static_cast<std::size_t>(half.arc)]);
        }
    }
    /// Returns the vertices that are reached, in ascending distance from the source.
    std::span<const rank_t> order() const { return order_; }
    bool reached(rank_t v) const { return at_[v].reached; }
    /// Returns the sum of prices on the shortest path to v. @pre reached(v)
    std::int64_t distance(rank_t v) const { return at_[v].distance; }
    /// Returns whether an arc of this price from u to v is on a shortest path to v.
    bool is_tight(rank_t u, rank_t v, std::int64_t price) const {
        return at_[u].reached && at_[u].distance + price == at_[v].distance && at_[u].arcs + 1 == at_[v].arcs;
    }

  private:
    struct state {
        std::int64_t distance{}, arcs{};
        bool reached = false, settled = false;
        bool farther_than(const state& other) const {
            return !reached || distance > other.distance || (distance == other.distance && arcs > other.arcs);
        }
    };

    void relax(rank_t from, rank_t to, std::int64_t price) {
        const state found{at_[from].distance + price, at_[from].arcs + 1, true, false};
        if (at_[to].farther_than(found)) at_[to] = found;
    }
    rank_t closest() const {
        rank_t best = -1;
        for (rank_t v = 0; v < at_.length(); ++v)
            if (at_[v].reached && !at_[v].settled && (best < 0 || at_[best].farther_than(at_[v]))) best = v;
        return best;
    }

    signed_vector<state> at_;
    signed_vector<rank_t> order_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
