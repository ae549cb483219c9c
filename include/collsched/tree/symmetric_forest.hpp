#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/detail/link_orbits.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/tree/forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// A forest in which the trees of each rank are images of those of rank 0 under translations of the network. It has the
/// size of the trees of rank 0.
struct symmetric_forest {
    forest first;                           ///< the trees of rank 0 alone
    topology::network::translations group;  ///< translations of the network

    /// Returns the number of edges of expanded().
    /// @return edges, or 2^63 - 1 if they are more
    std::int64_t expanded_edges() const {
        return collsched::detail::saturated(checked(first.edges.size()) * first.ranks);
    }
    /// Returns the forest with the trees of all ranks. O(ranks * (edges + vertices) of the trees of rank 0), also the
    /// memory: a torus of 4096 ranks with 6 trees per rank has 10^8 edges of 48 bytes.
    /// @pre group.ranks() == first.ranks
    forest expanded() const {
        forest result;
        result.ranks = first.ranks, result.total = first.total, result.unit = first.unit;
        result.trees = owned_array<forest::tree>(first.trees.size() * first.ranks);
        result.edges = owned_array<forest::edge>(first.edges.size() * first.ranks);
        result.vertices = owned_array<rank_t>(first.vertices.size() * first.ranks);
        std::int64_t tree = 0, edge = 0, vertex = 0;
        for (rank_t r = 0; r < first.ranks; ++r) {
            const std::int64_t edges = edge, vertices = vertex;  // of the ranks before
            for (const forest::tree& t : first.trees)
                result.trees[tree++] = {r, t.weight, t.first_edge + edges, t.end_edge + edges};
            for (const forest::edge& e : first.edges)
                result.edges[edge++] = {group.image(e.from, r), group.image(e.to, r), e.first_vertex + vertices,
                                        e.end_vertex + vertices};
            for (const rank_t v : first.vertices) result.vertices[vertex++] = group.image(v, r);
        }
        return result;
    }
    /// Returns the load of each link: the sum of the weights of the trees of all ranks that pass from its sender to its
    /// receiver, over this link or one parallel to it. Multiplied by `first.unit` it is at most the sum of bandwidths of
    /// these links. O(links log links + vertices of the trees of rank 0).
    /// @param net  the network of the forest and of its translations
    /// @return weights by index of the link, 2^63 - 1 if they are larger
    owned_array<std::int64_t> loads(const topology::network& net) const {
        const topology::detail::arc_table arcs(net);
        const topology::detail::link_orbits orbits(arcs, group);
        topology::detail::signed_vector<checked> uses(orbits.size.size(), 0);
        for (const forest::tree& tree : first.trees)
            for (const forest::edge& edge : first.edges_of(tree))
                for (std::int64_t i = edge.first_vertex + 1; i < edge.end_vertex; ++i) {
                    checked& sum = uses[orbits.of[arcs.find(first.vertices[i - 1], first.vertices[i])]];
                    sum = sum + tree.weight;
                }
        owned_array<std::int64_t> loads(std::ssize(net.links()));
        std::int64_t next = 0;
        for (const topology::network::link& link : net.links()) {
            const std::int64_t orbit = orbits.of[arcs.find(link.from, link.to)];
            loads[next++] = collsched::detail::saturated(uses[orbit] * (first.ranks / orbits.size[orbit]));
        }
        return loads;
    }
    /// Returns the largest number of edges from the root to a rank, in any tree. O(edges).
    rank_t depth() const {
        owned_array<rank_t> level(first.ranks);
        rank_t most = 0;
        for (const forest::tree& tree : first.trees) {
            level[tree.root] = 0;
            for (const forest::edge& edge : first.edges_of(tree)) {
                level[edge.to] = level[edge.from] + 1;
                most = level[edge.to] > most ? level[edge.to] : most;
            }
        }
        return most;
    }
};

/// A symmetric forest, and the algorithmic bandwidth that it attains.
struct packed_symmetric_forest {
    symmetric_forest result;  ///< spanning out-trees of rank 0, with the translations
    fraction bandwidth;       ///< M / T in bytes per second for an allgather of M bytes; 0 with an error
    fraction bound;           ///< the bound of all cuts, as topology::throughput_bound() for allgather; 0 with an error
    argument_error error;     ///< a wrong network, no translations, or numbers that are too large
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
