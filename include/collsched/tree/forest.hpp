#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Weighted spanning trees of the ranks of a network, each with the path of every edge through the network. A tree of
/// root r carries a part of the data of rank r to all ranks, or, in the opposite direction, to rank r. The part is in
/// proportion to its weight: trees of one root have the sum of weights `total`.
///
/// While all trees are in use at once, a tree of weight w moves w * unit bytes per second over each of its edges.
struct forest {
    /// An edge of a tree. Edges of a tree are in an order in which `from` is the root or the `to` of an earlier edge.
    struct edge {
        rank_t from = 0;                ///< rank closer to the root
        rank_t to = 0;                  ///< rank that the edge adds
        std::int64_t first_vertex = 0;  ///< the path is vertices[first_vertex] .. vertices[end_vertex - 1], from `from`
                                        ///< to `to`, both included, with switches between them
        std::int64_t end_vertex = 0;    ///< 2 or more beyond first_vertex
        bool operator==(const edge&) const = default;
    };
    /// A tree. Its edges are edges[first_edge] .. edges[end_edge - 1], ranks - 1 in number.
    struct tree {
        rank_t root = 0;              ///< rank whose data it carries
        std::int64_t weight = 1;      ///< 1 or more
        std::int64_t first_edge = 0;  ///< index of its first edge
        std::int64_t end_edge = 0;    ///< index behind its last edge
        bool operator==(const tree&) const = default;
    };

    rank_t ranks = 1;              ///< number of ranks p
    std::int64_t total = 1;        ///< sum of the weights of the trees of each root that has trees
    fraction unit = 0;             ///< bytes per second of weight 1; 0: unknown
    owned_array<tree> trees;       ///< those of a root in sequence, roots ascending
    owned_array<edge> edges;       ///< tree by tree
    owned_array<rank_t> vertices;  ///< vertices of all paths, edge by edge

    /// Returns the edges of a tree.
    /// @param t  a tree of this forest
    /// @return edges, valid as long as the forest
    constexpr std::span<const edge> edges_of(const tree& t) const { return edges.slice(t.first_edge, t.end_edge); }
    /// Returns the bytes per second over each edge of a tree: weight * unit, or 0 if a part of it exceeds 63 bits.
    /// @param t  a tree of this forest
    constexpr fraction rate(const tree& t) const { return collsched::detail::product(unit, fraction(t.weight)); }
    /// Returns the path of an edge.
    /// @param e  an edge of this forest
    /// @return vertices, valid as long as the forest
    constexpr std::span<const rank_t> path(const edge& e) const { return vertices.slice(e.first_vertex, e.end_vertex); }
    /// Returns the first error in the numbers of the forest, or no error. With an error, no other method may be called.
    /// O(ranks + edges + vertices).
    constexpr argument_error check() const {
        if (ranks < 1 || ranks > rank_t{1} << 30) return {"ranks", ranks, "1 to 2^30"};
        if (total < 1) return {"total", total, "1 or more"};
        if (unit < fraction(0)) return {"unit", unit.numerator(), "0 (unknown) or more"};
        if (argument_error error = check_trees()) return error;
        if (argument_error error = check_paths()) return error;
        return check_order();
    }

    bool operator==(const forest&) const = default;

  private:
    /// Checks that roots ascend, that the weights of each root have the sum `total`, and that the trees share out all
    /// edges.
    constexpr argument_error check_trees() const {
        std::int64_t next = 0, weight_left = 0;
        const auto unfinished = [&](std::int64_t i) {
            return argument_error{"weight", trees[i].weight, "weights with the sum `total` of the trees of a root", i};
        };
        for (std::int64_t i = 0; i < trees.size(); ++i) {
            const tree& t = trees[i];
            if (t.root < 0 || t.root >= ranks) return {"root", t.root, "0 to ranks-1", i};
            if (i > 0 && t.root < trees[i - 1].root) return {"root", t.root, "roots in ascending order", i};
            if (i == 0 || t.root != trees[i - 1].root) {
                if (weight_left != 0) return unfinished(i - 1);
                weight_left = total;
            }
            if (t.weight < 1) return {"weight", t.weight, "1 or more", i};
            if (t.weight > weight_left) return unfinished(i);
            weight_left -= t.weight;
            if (t.first_edge != next) return {"first_edge", t.first_edge, "the end of the tree before", i};
            if (t.end_edge < next || t.end_edge > edges.size() || t.end_edge - next != ranks - 1)
                return {"end_edge", t.end_edge, "ranks-1 beyond first_edge, and no more than there are edges", i};
            next = t.end_edge;
        }
        if (weight_left != 0) return unfinished(trees.size() - 1);
        if (next != edges.size()) return {"edges", edges.size(), "ranks-1 edges for each tree"};
        return {};
    }
    /// Checks that edges connect ranks, and that the paths share out all vertices.
    constexpr argument_error check_paths() const {
        std::int64_t next = 0;
        for (std::int64_t i = 0; i < edges.size(); ++i) {
            const edge& e = edges[i];
            if (e.from < 0 || e.from >= ranks) return {"from", e.from, "0 to ranks-1", i};
            if (e.to < 0 || e.to >= ranks) return {"to", e.to, "0 to ranks-1", i};
            if (e.first_vertex != next) return {"first_vertex", e.first_vertex, "the end of the path before", i};
            if (e.end_vertex < next + 2 || e.end_vertex > vertices.size())
                return {"end_vertex", e.end_vertex, "2 or more beyond first_vertex, and no more than vertices", i};
            const std::int64_t last = e.end_vertex - 1;
            if (vertices[next] != e.from) return {"vertices", vertices[next], "a path from `from`", next};
            if (vertices[last] != e.to) return {"vertices", vertices[last], "a path to `to`", last};
            for (std::int64_t v = next + 1; v < last; ++v)
                if (vertices[v] < ranks) return {"vertices", vertices[v], "switches between the ends of a path", v};
            next = e.end_vertex;
        }
        if (next != vertices.size()) return {"vertices", vertices.size(), "as many vertices as the paths have"};
        return {};
    }
    /// Checks that every edge of a tree leads from a rank that has the data to a rank that lacks it.
    constexpr argument_error check_order() const {
        owned_array<std::int64_t> reached_by(trees.empty() ? 0 : ranks);  // number, from 1, of the last tree there
        for (std::int64_t t = 0; t < trees.size(); ++t) {
            reached_by[trees[t].root] = t + 1;
            for (std::int64_t i = trees[t].first_edge; i < trees[t].end_edge; ++i) {
                const edge& e = edges[i];
                if (reached_by[e.from] != t + 1)
                    return {"from", e.from, "the root, or `to` of an earlier edge of the tree", i};
                if (reached_by[e.to] == t + 1) return {"to", e.to, "a rank that no earlier edge reaches", i};
                reached_by[e.to] = t + 1;
            }
        }
        return {};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
