#include "collsched/tree/detail/parent_flow.hpp"

#include <doctest/doctest.h>

#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/networks.hpp"
#include "support/network_walks.hpp"

using namespace collsched;
using trees::detail::capacity_order;
using trees::detail::hop_levels;
using trees::detail::signed_vector;
using order = signed_vector<rank_t>;

namespace {

order levels_of(const topology::network& net) {
    return hop_levels(topology::detail::make_capacity_graph(net).graph, net.ranks());
}

order capacity_order_of(const topology::network& net) {
    const support::network_walks of(net);
    REQUIRE(of.found);
    return capacity_order(of.group, of.orbits, of.search);
}

}  // namespace

TEST_CASE("parent_orders: levels count ranks, not switches") {
    CHECK(levels_of(topology::networks::ring(6, {})) == order{0, 1, 2, 3, 2, 1});
    CHECK(levels_of(topology::networks::fat_tree(2, {})) == order{0, 1});
    // Each rank of a box has its own common switch: other boxes are entered at the rank of the same number.
    CHECK(levels_of(topology::networks::boxes({.boxes = 2, .ranks_per_box = 3, .nics_per_box = 3, .rails = 3})) ==
          order{0, 1, 1, 1, 2, 2});
}

TEST_CASE("parent_orders: the capacity order fills a row of fast links before the next one") {
    const rank_t sizes[] = {3, 4};
    const topology::network::cable cables[] = {{.bandwidth = 1}, {.bandwidth = 10}};
    const order position = capacity_order_of(topology::networks::torus(sizes, cables));
    for (rank_t r = 0; r < 12; ++r) CHECK(position[r] / 4 == position[r / 4 * 4] / 4);
    CHECK(position[0] == 0);
    CHECK(position[1] == 1);
    CHECK(position[3] == 2);
    CHECK(position[2] == 3);
}

TEST_CASE("parent_orders: equal capacities from earlier ranks come first") {
    // Both directions of a ring stay equally long.
    CHECK(capacity_order_of(topology::networks::ring(6, {})) == order{0, 1, 3, 5, 4, 2});
}
