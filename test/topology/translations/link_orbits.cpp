#include "collsched/topology/translations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "support/symmetric_networks.hpp"

using namespace collsched;
using topology::detail::arc_table;
using topology::detail::link_orbits;

TEST_CASE("link_orbits: a torus has an orbit per direction") {
    const rank_t sizes[] = {4, 2, 3};
    const topology::network net = topology::networks::torus(sizes, topology::network::cable{.bandwidth = 7});
    const arc_table arcs(net);
    const link_orbits orbits(arcs, topology::find_translations(net));
    REQUIRE(orbits.size.length() == 5);
    for (std::int64_t o = 0; o < 5; ++o) CHECK(orbits.size[o] == 24);
    CHECK(orbits.bandwidth[0] == 7);
}

TEST_CASE("link_orbits: links of switches that share a translation are fewer than ranks") {
    const topology::network net =
        topology::networks::leaf_spine({.leaves = 3, .ranks_per_leaf = 4, .spines = 2, .uplinks = 2});
    const arc_table arcs(net);
    const link_orbits orbits(arcs, topology::find_translations(net));
    CHECK(orbits.size.length() == 6);
    CHECK(orbits.size[orbits.of[arcs.find(0, 12)]] == 12);
    CHECK(orbits.size[orbits.of[arcs.find(12, 15)]] == 3);
    CHECK(orbits.bandwidth[orbits.of[arcs.find(12, 15)]] == 2 * topology::network::cable{}.bandwidth);
    CHECK(orbits.of[arcs.find(12, 15)] == orbits.of[arcs.find(14, 15)]);
    CHECK(orbits.of[arcs.find(12, 15)] != orbits.of[arcs.find(12, 16)]);
}

TEST_CASE("link_orbits: an orbit has all images of its links, and no other links") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const topology::network net = support::symmetric_network(seed, support::symmetric_shape::boxes);
        const topology::network::translations group = topology::find_translations(net);
        REQUIRE(group.ranks() == net.ranks());
        const arc_table arcs(net);
        const link_orbits orbits(arcs, group);
        for (std::int64_t i = 0; i < arcs.size(); ++i) {
            std::vector<std::int64_t> images;
            for (rank_t r = 0; r < net.ranks(); ++r)
                images.push_back(arcs.find(group.image(arcs[i].from, r), group.image(arcs[i].to, r)));
            std::sort(images.begin(), images.end());
            images.erase(std::unique(images.begin(), images.end()), images.end());
            CHECK(std::ssize(images) == orbits.size[orbits.of[i]]);
            for (const std::int64_t image : images) CHECK(orbits.of[image] == orbits.of[i]);
        }
    }
}

TEST_CASE("link_orbits: orbits are numbered in the order of their first arcs") {
    const topology::network net = topology::networks::ring(3, {.bandwidth = 7});
    const link_orbits orbits(arc_table(net), topology::find_translations(net));
    // Arcs 0-1, 0-2, 1-0, 1-2, 2-0, 2-1.
    CHECK(std::vector<std::int64_t>(orbits.of) == std::vector<std::int64_t>{0, 1, 1, 0, 0, 1});
    CHECK(std::vector<std::int64_t>(orbits.size) == std::vector<std::int64_t>{3, 3});
    CHECK(std::vector<std::int64_t>(orbits.bandwidth) == std::vector<std::int64_t>{7, 7});
}
