#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Shortest paths over the routes of a SimGrid zone whose routing is Floyd or Dijkstra. The length of a route is its
/// number of links. Among several shortest paths SimGrid's choice is returned.
/// Source: SimGrid's Floyd and Dijkstra routing.
class simgrid_graph {
  public:
    enum class method {
        floyd,    ///< Floyd and Warshall's algorithm, in which only a shorter path replaces a path
        dijkstra  ///< Dijkstra's algorithm; the first vertex of the smallest distance is taken
    };
    struct edge {
        rank_t from, to;     ///< any two different numbers
        std::int64_t links;  ///< 1 or more
    };

    /// @param vertices in order of declaration; Dijkstra's order is that of the first occurrence in `edges`
    /// @pre the ends of edges are vertices
    /// O(vertices edges log(vertices)) time, O(vertices^2) memory.
    simgrid_graph(std::span<const rank_t> vertices, std::span<const edge> edges, method algorithm) {
        if (algorithm == method::floyd)
            for (const rank_t v : vertices) index_of(v);
        for (const edge& e : edges) {
            const std::int32_t from = index_of(e.from), to = index_of(e.to);
            out_[at(from)].emplace_back(to, e.links);
        }
        before_.assign(names_.size() * names_.size(), none);
        for (std::int32_t source = 0; source < size(); ++source) {
            if (algorithm == method::dijkstra) find_predecessors(source);
            else find_inner_vertices(source);
        }
        if (algorithm == method::floyd) resolve();
    }

    /// Returns the vertices of the path from a to b, including both. Empty if there is no path. O(path).
    std::vector<rank_t> path(rank_t a, rank_t b) const {
        const auto first = index_.find(a), last = index_.find(b);
        if (first == index_.end() || last == index_.end() || a == b) return {};
        std::vector<rank_t> found{b};
        for (std::int32_t v = last->second; v != first->second;) {
            v = before(first->second, v);
            if (v == none) return {};
            found.push_back(names_[at(v)]);
        }
        std::reverse(found.begin(), found.end());
        return found;
    }

  private:
    static constexpr std::int32_t none = -1;
    static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
    using reached = std::pair<std::int64_t, std::int32_t>;  ///< distance, vertex
    using by_distance = std::priority_queue<reached, std::vector<reached>, std::greater<>>;

    static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
    std::int32_t size() const { return static_cast<std::int32_t>(names_.size()); }
    std::int32_t before(std::int32_t source, std::int32_t v) const {
        return before_[at(source) * names_.size() + at(v)];
    }
    std::int32_t& before(std::int32_t source, std::int32_t v) { return before_[at(source) * names_.size() + at(v)]; }
    std::int32_t index_of(rank_t name) {
        const auto [found, is_new] = index_.emplace(name, size());
        if (is_new) {
            names_.push_back(name);
            out_.emplace_back();
        }
        return found->second;
    }

    /// Calls passed(v, u, is_shorter) for each edge from v to u that ends a path from the source which is as short as all
    /// before it. Returns the distances.
    template <class Passed>
    std::vector<std::int64_t> search(std::int32_t source, Passed passed) const {
        std::vector<std::int64_t> distance(names_.size(), far);
        by_distance open;
        distance[at(source)] = 0;
        open.emplace(0, source);
        while (!open.empty()) {
            const auto [length, v] = open.top();
            open.pop();
            if (length > distance[at(v)]) continue;
            for (const auto& [u, links] : out_[at(v)]) {
                std::int64_t& shortest = distance[at(u)];
                if (u == source || length + links > shortest) continue;
                const bool is_shorter = length + links < shortest;
                if (is_shorter) open.emplace(shortest = length + links, u);
                passed(v, u, is_shorter);
            }
        }
        return distance;
    }
    /// Fills a row of `before_` with predecessors.
    void find_predecessors(std::int32_t source) {
        search(source, [&](std::int32_t v, std::int32_t u, bool is_shorter) {
            if (is_shorter) before(source, u) = v;
        });
    }
    /// Fills a row of `before_` with the last inner vertex by which Floyd's algorithm shortens a path: the largest
    /// inner vertex of a shortest path, as small as possible. The entry remains `none` if an edge is a shortest path or
    /// if there is no path.
    void find_inner_vertices(std::int32_t source) {
        const std::vector<std::int64_t> distance = search(source, [&](std::int32_t v, std::int32_t u, bool is_shorter) {
            const std::int32_t largest = v == source ? none : std::max(before(source, v), v);
            before(source, u) = is_shorter ? largest : std::min(before(source, u), largest);
        });
        for (std::int32_t v = 0; v < size(); ++v)
            if (distance[at(v)] == far) before(source, v) = unreached;
    }
    /// Replaces inner vertices by predecessors. The predecessor of b on the path from a is the predecessor of b on the
    /// path from the inner vertex, whose own inner vertices are smaller.
    void resolve() {
        std::vector<std::int32_t> order(names_.size());
        for (std::int32_t b = 0; b < size(); ++b) {
            for (std::int32_t a = 0; a < size(); ++a) order[at(a)] = a;
            std::sort(order.begin(), order.end(),
                      [&](std::int32_t x, std::int32_t y) { return before(x, b) < before(y, b); });
            for (const std::int32_t a : order) {
                const std::int32_t inner = before(a, b);
                before(a, b) = inner == unreached || a == b ? none : inner == none ? a : before(inner, b);
            }
        }
    }
    static constexpr std::int32_t unreached = -2;

    std::vector<rank_t> names_;
    std::unordered_map<rank_t, std::int32_t> index_;
    std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> out_;
    std::vector<std::int32_t> before_;  ///< row by row, per source
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
