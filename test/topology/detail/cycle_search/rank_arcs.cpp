#include "collsched/topology/detail/cycle_search.hpp"

#include <doctest/doctest.h>

#include "collsched/topology/networks.hpp"

using namespace collsched;
using topology::network;
using topology::detail::rank_arcs;

TEST_CASE("rank_arcs: parallel links are one arc, and arcs end at the first rank") {
    const network::link links[] = {{0, 1, 5}, {0, 1, 4}, {1, 2, 3}};
    const rank_arcs arcs(network(3, 0, links), 10);
    REQUIRE(arcs.fits());
    CHECK(arcs.size() == 2);
    REQUIRE(arcs.find(0, 1) != nullptr);
    CHECK(arcs.find(0, 1)->bandwidth == 9);
    CHECK(arcs.find(0, 1)->links == 1);
    CHECK(arcs.find(0, 2) == nullptr);
    CHECK(arcs.from(2).empty());
}

TEST_CASE("rank_arcs: the fewest links count, and of these ways the widest") {
    // Ranks 0 and 1, switches 2 to 5: ways over 2, over 3, and over 4 and 5.
    const network::link links[] = {{0, 2, 9}, {2, 1, 2}, {0, 3, 4}, {3, 1, 3}, {0, 4, 9}, {4, 5, 9}, {5, 1, 9}};
    const rank_arcs arcs(network(2, 4, links), 10);
    REQUIRE(arcs.size() == 1);
    CHECK(arcs.find(0, 1)->links == 2);
    CHECK(arcs.find(0, 1)->bandwidth == 3);
}

TEST_CASE("rank_arcs: too many arcs, and sums of bandwidths beyond 63 bits, do not fit") {
    const network net = topology::networks::leaf_spine({.leaves = 2, .ranks_per_leaf = 3, .spines = 2});
    CHECK(rank_arcs(net, 30).fits());
    CHECK(rank_arcs(net, 30).size() == 30);
    CHECK(!rank_arcs(net, 29).fits());
    const network::link wide[] = {{0, 1, INT64_MAX}, {0, 1, 1}};
    CHECK(!rank_arcs(network(2, 0, wide), 10).fits());
}
