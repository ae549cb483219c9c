#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/topology/network.hpp"

/// Networks with translations, drawn at random.
namespace support {

/// Kinds of networks.
enum class symmetric_shape { torus, boxes, leaf_spine, circulant, rings_at_switch };

/// A ring of ranks with links of one direction over a few distances.
inline collsched::topology::network circulant(collsched::detail::splitmix64& random) {
    using namespace collsched;
    const rank_t ranks = random.between(2, 12);
    std::vector<topology::network::link> links;
    for (rank_t i = 0; i < ranks; ++i) links.push_back({i, (i + 1) % ranks, 1});
    for (std::int64_t more = random.between(0, 3); more > 0; --more) {
        const rank_t distance = random.between(1, ranks - 1);
        const std::int64_t bandwidth = random.between(1, 9);
        for (rank_t i = 0; i < ranks; ++i) links.push_back({i, (i + distance) % ranks, bandwidth});
    }
    return {ranks, 0, links};
}

/// Rings of ranks, with links of one direction or both, all of whose ranks are at one switch.
inline collsched::topology::network rings_at_switch(collsched::detail::splitmix64& random) {
    using namespace collsched;
    const rank_t rings = random.between(2, 4), size = random.between(2, 5), ranks = rings * size;
    const std::int64_t ring = random.between(1, 9), cable = random.between(1, 9);
    const bool both = random.between(0, 1) == 1;
    std::vector<topology::network::link> links;
    for (rank_t v = 0; v < ranks; ++v) {
        const rank_t next = v / size * size + (v % size + 1) % size;
        links.push_back({v, next, ring});
        if (both) links.push_back({next, v, ring});
        links.push_back({v, ranks, cable});
        links.push_back({ranks, v, cable});
    }
    return {ranks, 1, links};
}

/// Draws a network with translations of 2 or more ranks.
inline collsched::topology::network symmetric_network(std::uint64_t seed, symmetric_shape shape) {
    using namespace collsched;
    collsched::detail::splitmix64 random(seed);
    const auto cable = [&] { return topology::network::cable{.bandwidth = random.between(1, 12)}; };
    switch (shape) {
        case symmetric_shape::torus: {
            std::vector<rank_t> sizes;
            std::vector<topology::network::cable> cables;
            for (std::int64_t d = random.between(1, 3); d > 0; --d) {
                sizes.push_back(random.between(2, 5));
                cables.push_back(cable());
            }
            return topology::networks::torus(sizes, cables);
        }
        case symmetric_shape::boxes: {
            const rank_t nics = random.between(1, 4), per_nic = random.between(1, 3);
            return topology::networks::boxes({.boxes = random.between(2, 5),
                                              .ranks_per_box = nics * per_nic,
                                              .nics_per_box = nics,
                                              .rails = random.between(0, 1) == 0 ? 1 : nics,
                                              .rank_cable = cable(),
                                              .nic_cable = cable(),
                                              .rail_cable = cable()});
        }
        case symmetric_shape::leaf_spine:
            return topology::networks::leaf_spine({.leaves = random.between(2, 5),
                                                   .ranks_per_leaf = random.between(1, 5),
                                                   .spines = random.between(1, 4),
                                                   .uplinks = random.between(1, 2),
                                                   .rank_cable = cable(),
                                                   .uplink_cable = cable()});
        case symmetric_shape::circulant: return circulant(random);
        case symmetric_shape::rings_at_switch: return rings_at_switch(random);
    }
    return {};
}

/// Returns the network with the bandwidth of one link raised by 1.
inline collsched::topology::network with_faster_link(const collsched::topology::network& net, std::size_t link) {
    std::vector<collsched::topology::network::link> links(net.links().begin(), net.links().end());
    ++links[link].bandwidth;
    return {net.ranks(), net.switches(), links};
}

/// All ranks of a network.
inline std::vector<collsched::rank_t> ranks_of(const collsched::topology::network& net) {
    std::vector<collsched::rank_t> ranks(static_cast<std::size_t>(net.ranks()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

}  // namespace support
