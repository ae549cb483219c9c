#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "collsched/topology/network.hpp"

namespace support {

/// The links of a network, sorted.
inline std::vector<collsched::topology::network::link> sorted_links(const collsched::topology::network& net) {
    std::vector<collsched::topology::network::link> links(net.links().begin(), net.links().end());
    const auto key = [](const auto& l) { return std::tuple(l.from, l.to, l.bandwidth, l.latency); };
    std::sort(links.begin(), links.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    return links;
}

/// The number of links from each vertex to others.
inline std::vector<int> out_degrees(const collsched::topology::network& net) {
    std::vector<int> degrees(static_cast<std::size_t>(net.vertices()));
    for (const auto& link : net.links()) ++degrees[static_cast<std::size_t>(link.from)];
    return degrees;
}
/// The number of links from others to each vertex.
inline std::vector<int> in_degrees(const collsched::topology::network& net) {
    std::vector<int> degrees(static_cast<std::size_t>(net.vertices()));
    for (const auto& link : net.links()) ++degrees[static_cast<std::size_t>(link.to)];
    return degrees;
}

/// The most links of a shortest path between two ranks; -1 if there is no path between some.
inline int diameter(const collsched::topology::network& net) {
    std::vector<std::vector<std::size_t>> next(static_cast<std::size_t>(net.vertices()));
    for (const auto& link : net.links())
        next[static_cast<std::size_t>(link.from)].push_back(static_cast<std::size_t>(link.to));
    int most = 0;
    for (std::size_t root = 0; root < static_cast<std::size_t>(net.ranks()); ++root) {
        std::vector<int> far(next.size(), -1);
        std::vector<std::size_t> queue{root};
        far[root] = 0;
        for (std::size_t i = 0; i < queue.size(); ++i)
            for (const std::size_t to : next[queue[i]])
                if (far[to] < 0) {
                    far[to] = far[queue[i]] + 1;
                    queue.push_back(to);
                }
        for (std::size_t v = 0; v < static_cast<std::size_t>(net.ranks()); ++v) {
            if (far[v] < 0) return -1;
            most = std::max(most, far[v]);
        }
    }
    return most;
}

/// Whether each link has one in the opposite direction with the same rates.
inline bool is_bidirectional(const collsched::topology::network& net) {
    std::vector<collsched::topology::network::link> reversed;
    for (const auto& link : net.links()) reversed.push_back({link.to, link.from, link.bandwidth, link.latency});
    const collsched::topology::network other(net.ranks(), net.switches(), reversed);
    return sorted_links(net) == sorted_links(other);
}

}  // namespace support
