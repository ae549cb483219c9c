#pragma once

#include <cstdint>
#include <span>

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
    /// @param one  a tree of this forest
    /// @return edges, valid as long as the forest
    constexpr std::span<const edge> edges_of(const tree& one) const {
        return std::span<const edge>(edges).subspan(static_cast<std::size_t>(one.first_edge),
                                                    static_cast<std::size_t>(one.end_edge - one.first_edge));
    }
    /// Returns the path of an edge.
    /// @param one  an edge of this forest
    /// @return vertices, valid as long as the forest
    constexpr std::span<const rank_t> path(const edge& one) const {
        return std::span<const rank_t>(vertices).subspan(static_cast<std::size_t>(one.first_vertex),
                                                         static_cast<std::size_t>(one.end_vertex - one.first_vertex));
    }
    bool operator==(const forest&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
