#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/topology/network.hpp"
#include "collsched/tree/forest.hpp"

/// Judges forests for a network by their definition.
namespace support::forest_oracle {

using namespace collsched;
__extension__ using wide = __int128;

using vertex_pair = std::pair<rank_t, rank_t>;

/// The sum of the bandwidths of the links from one vertex to another, in bytes per second, for each pair with a link.
inline std::map<vertex_pair, std::int64_t> capacities(const topology::network& net) {
    std::map<vertex_pair, std::int64_t> sums;
    for (const auto& one : net.links()) sums[{one.from, one.to}] += one.bandwidth;
    return sums;
}

/// The sum of the weights of the trees that pass from one vertex to another, for each pair in a path.
inline std::map<vertex_pair, wide> loads(const trees::forest& forest) {
    std::map<vertex_pair, wide> sums;
    for (const auto& tree : forest.trees)
        for (const auto& edge : forest.edges_of(tree)) {
            const auto path = forest.path(edge);
            for (std::size_t i = 1; i < path.size(); ++i) sums[{path[i - 1], path[i]}] += tree.weight;
        }
    return sums;
}

inline std::string text_of(vertex_pair pair) { return std::to_string(pair.first) + ">" + std::to_string(pair.second); }

/// Whether the parts of the arrays follow each other without gaps: edges by trees, and vertices by edges.
inline std::string fault_of_ranges(const trees::forest& forest) {
    std::int64_t edge = 0, vertex = 0;
    for (std::int64_t t = 0; t < forest.trees.size(); ++t) {
        const auto& tree = forest.trees[t];
        if (tree.first_edge != edge)
            return "tree " + std::to_string(t) + " begins at edge " + std::to_string(tree.first_edge);
        edge += forest.ranks - 1;
        if (tree.end_edge != edge)
            return "tree " + std::to_string(t) + " ends at edge " + std::to_string(tree.end_edge);
    }
    if (forest.edges.size() != edge) return std::to_string(forest.edges.size()) + " edges in all";
    for (std::int64_t e = 0; e < forest.edges.size(); ++e) {
        if (forest.edges[e].first_vertex != vertex)
            return "the path of edge " + std::to_string(e) + " begins elsewhere";
        vertex = forest.edges[e].end_vertex;
        if (vertex < forest.edges[e].first_vertex + 2) return "the path of edge " + std::to_string(e) + " is too short";
        if (vertex > forest.vertices.size()) return "the path of edge " + std::to_string(e) + " has no end";
    }
    return vertex != forest.vertices.size() ? std::to_string(forest.vertices.size()) + " vertices in all" : "";
}

/// Whether exactly `roots`, which ascend, have trees, in this order, and those of each root the sum of weights `total`.
inline std::string fault_of_weights(const trees::forest& forest, std::span<const rank_t> roots) {
    std::vector<rank_t> found;
    std::vector<wide> sums;
    for (const auto& tree : forest.trees) {
        if (tree.weight < 1) return "weight " + std::to_string(tree.weight);
        if (found.empty() || found.back() != tree.root) {
            found.push_back(tree.root);
            sums.push_back(0);
        }
        sums.back() += tree.weight;
    }
    if (!std::equal(found.begin(), found.end(), roots.begin(), roots.end())) return "the roots are others";
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (sums[i] != forest.total) return "the weights of root " + std::to_string(found[i]) + " have another sum";
    return "";
}

/// Whether the path of an edge leads over links of the network from rank to rank, with switches in between.
inline std::string fault_of_path(const topology::network& net, const std::map<vertex_pair, std::int64_t>& links,
                                 const trees::forest::edge& edge, std::span<const rank_t> path) {
    if (path.front() != edge.from || path.back() != edge.to) return "the path has other ends";
    for (std::size_t i = 1; i < path.size(); ++i) {
        const vertex_pair pair{path[i - 1], path[i]};
        if (!links.contains(pair)) return "no link " + text_of(pair);
        if (i + 1 < path.size() && !net.is_switch(path[i]))
            return "the path leads over rank " + std::to_string(path[i]);
    }
    return "";
}

/// Whether a tree spans the ranks, and each edge adds a rank to those before it.
inline std::string fault_of_tree(const topology::network& net, const std::map<vertex_pair, std::int64_t>& links,
                                 const trees::forest& forest, const trees::forest::tree& tree) {
    std::vector<bool> reached(static_cast<std::size_t>(net.ranks()));
    reached[static_cast<std::size_t>(tree.root)] = true;
    for (const auto& edge : forest.edges_of(tree)) {
        const std::string name =
            "edge " + text_of({edge.from, edge.to}) + " of root " + std::to_string(tree.root) + ": ";
        for (const rank_t end : {edge.from, edge.to})
            if (end < 0 || end >= net.ranks()) return name + "no rank";
        if (!reached[static_cast<std::size_t>(edge.from)]) return name + "the sender is not reached";
        if (reached[static_cast<std::size_t>(edge.to)]) return name + "the receiver is reached twice";
        reached[static_cast<std::size_t>(edge.to)] = true;
        if (const std::string fault = fault_of_path(net, links, edge, forest.path(edge)); !fault.empty())
            return name + fault;
    }
    return "";
}

/// Whether all trees in use at once fit into the links: the sum of weight * unit over all paths from a vertex to
/// another is at most the bandwidth of the links between them.
inline std::string fault_of_loads(const std::map<vertex_pair, std::int64_t>& links, const trees::forest& forest) {
    if (!(fraction(0) < forest.unit)) return "the unit is 0 or less";
    for (const auto& [pair, weight] : loads(forest)) {
        constexpr wide limit = std::numeric_limits<std::int64_t>::max();
        if (weight > limit) return "the load of " + text_of(pair) + " exceeds 64 bits";
        if (weight * forest.unit.numerator() > wide{links.at(pair)} * forest.unit.denominator())
            return "the load of " + text_of(pair) + " exceeds the bandwidth " + std::to_string(links.at(pair));
    }
    return "";
}

/// Returns the first fault of a forest for a network with trees of `roots`, which ascend, or an empty text.
inline std::string first_fault(const topology::network& net, const trees::forest& forest,
                               std::span<const rank_t> roots) {
    if (forest.ranks != net.ranks()) return "the number of ranks is " + std::to_string(forest.ranks);
    std::string fault = fault_of_ranges(forest);
    if (fault.empty()) fault = fault_of_weights(forest, roots);
    const auto links = capacities(net);
    for (const auto& tree : forest.trees)
        if (fault.empty()) fault = fault_of_tree(net, links, forest, tree);
    return fault.empty() ? fault_of_loads(links, forest) : fault;
}

/// Returns the first path that leads over a switch twice, which wastes bandwidth, as text, or an empty text.
inline std::string first_detour(const trees::forest& forest) {
    for (const auto& edge : forest.edges) {
        const auto path = forest.path(edge);
        for (std::size_t i = 0; i < path.size(); ++i)
            if (std::find(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i), path[i]) !=
                path.begin() + static_cast<std::ptrdiff_t>(i))
                return "edge " + text_of({edge.from, edge.to}) + " passes vertex " + std::to_string(path[i]) + " twice";
    }
    return "";
}

/// A fraction of wide integers, 0 or more, in lowest terms.
struct wide_fraction {
    wide numerator = 0, denominator = 1;

    constexpr wide_fraction(wide above, wide below) {
        wide a = above, b = below;
        while (b != 0) a = std::exchange(b, a % b);
        numerator = above / a;
        denominator = below / a;
    }
    constexpr wide_fraction(const fraction& value) : numerator(value.numerator()), denominator(value.denominator()) {}
    constexpr double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
    bool operator==(const wide_fraction&) const = default;
};

/// The part of the bandwidth of each link that is in use while all trees are. Links of one pair have equal parts.
/// @pre first_fault() is empty
inline std::vector<wide_fraction> link_use(const topology::network& net, const trees::forest& forest) {
    const auto sums = loads(forest);
    const auto totals = capacities(net);
    std::vector<wide_fraction> use;
    for (const auto& one : net.links()) {
        const auto found = sums.find({one.from, one.to});
        const wide weight = found == sums.end() ? 0 : found->second;
        use.emplace_back(weight * forest.unit.numerator(),
                         wide{totals.at({one.from, one.to})} * forest.unit.denominator());
    }
    return use;
}

/// The longest way from the root to a rank, counted in edges of the tree and in links of the network.
struct depth {
    std::int64_t edges = 0, hops = 0;
    bool operator==(const depth&) const = default;
};

/// @pre first_fault() is empty
inline depth depth_of(const trees::forest& forest, const trees::forest::tree& tree) {
    std::vector<depth> ranks(static_cast<std::size_t>(forest.ranks));
    depth most;
    for (const auto& edge : forest.edges_of(tree)) {
        const depth& from = ranks[static_cast<std::size_t>(edge.from)];
        const depth to{from.edges + 1, from.hops + static_cast<std::int64_t>(forest.path(edge).size()) - 1};
        ranks[static_cast<std::size_t>(edge.to)] = to;
        most = {std::max(most.edges, to.edges), std::max(most.hops, to.hops)};
    }
    return most;
}

/// The rate of the data of all roots together, in bytes per second, as the weights and the unit of a forest state it:
/// trees of each root move total * unit bytes per second of its data.
/// @pre first_fault() is empty
inline wide_fraction rate_of(const trees::forest& forest) {
    wide roots = 0;
    for (std::int64_t t = 0; t < forest.trees.size(); ++t)
        roots += t == 0 || forest.trees[t].root != forest.trees[t - 1].root ? 1 : 0;
    return {roots * forest.total * forest.unit.numerator(), forest.unit.denominator()};
}

}  // namespace support::forest_oracle
