#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/topology/network.hpp"
#include "collsched/tree/forest.hpp"

namespace support {

using namespace collsched;

using link_loads = std::map<std::pair<rank_t, rank_t>, __int128_t>;

/// Returns what is wrong with one tree, or an empty text, and adds its weight to the links of its paths.
inline std::string tree_fault(const topology::network& net, const trees::forest& trees, const trees::forest::tree& one,
                              link_loads& loads) {
    std::vector<bool> reached(static_cast<std::size_t>(net.ranks()));
    reached[static_cast<std::size_t>(one.root)] = true;
    if (one.weight < 1) return "weight";
    if (one.end_edge - one.first_edge != net.ranks() - 1) return "number of edges";
    for (const trees::forest::edge& edge : trees.edges_of(one)) {
        if (!reached[static_cast<std::size_t>(edge.from)]) return "edge before its parent is reached";
        if (reached[static_cast<std::size_t>(edge.to)]) return "rank reached twice";
        reached[static_cast<std::size_t>(edge.to)] = true;
        const std::span<const rank_t> path = trees.path(edge);
        if (path.size() < 2 || path.front() != edge.from || path.back() != edge.to) return "ends of a path";
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            if (i > 0 && !net.is_switch(path[i])) return "rank within a path";
            loads[{path[i], path[i + 1]}] += one.weight;
        }
    }
    return "";
}

/// Returns what is wrong with a forest of a network, or an empty text: every tree spans the ranks, the trees of each root
/// have the weight `total`, all trees together fit into the links, and have this algorithmic bandwidth.
inline std::string forest_fault(const topology::network& net, std::span<const rank_t> roots, const trees::forest& trees,
                                const fraction& bandwidth) {
    link_loads loads, capacities;
    std::map<rank_t, std::int64_t> weights;
    rank_t last = -1;
    for (const trees::forest::tree& one : trees.trees) {
        if (std::string fault = tree_fault(net, trees, one, loads); !fault.empty()) return fault;
        if (one.root < last) return "order of roots";
        weights[last = one.root] += one.weight;
    }
    if (weights.size() != roots.size()) return "number of roots";
    for (const rank_t root : roots)
        if (weights[root] != trees.total) return "weight of a root";
    for (const topology::network::link& link : net.links()) capacities[{link.from, link.to}] += link.bandwidth;
    for (const auto& [ends, load] : loads)
        if (load * trees.unit.numerator() > capacities[ends] * trees.unit.denominator()) return "load of a link";
    const __int128_t all = __int128_t{trees.total} * static_cast<std::int64_t>(roots.size());
    if (all * trees.unit.numerator() * bandwidth.denominator() !=
        __int128_t{bandwidth.numerator()} * trees.unit.denominator())
        return "bandwidth";
    return "";
}

}  // namespace support
