#include "collsched/tree/pack_forest.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using topology::network;
using topology::detail::capacity_graph;
using topology::detail::make_capacity_graph;
using trees::detail::merge_parallel;

TEST_CASE("merge_parallel: one arc per pair of vertices, without a common divisor") {
    const std::vector<network::link> links{{0, 1, 10}, {1, 0, 20}, {0, 1, 30}, {0, 2, 60}, {2, 0, 10}, {2, 0, 10}};
    capacity_graph net = make_capacity_graph(network(3, 0, links));
    CHECK(net.unit == 10);
    CHECK_FALSE(merge_parallel(net));
    CHECK(net.unit == 20);
    REQUIRE(net.graph.arcs() == 4);
    const std::int64_t expected[][3] = {{0, 1, 2}, {0, 2, 3}, {1, 0, 1}, {2, 0, 1}};
    for (std::int64_t i = 0; i < 4; ++i) {
        CHECK(net.graph[i].from == expected[i][0]);
        CHECK(net.graph[i].to == expected[i][1]);
        CHECK(net.graph[i].capacity == expected[i][2]);
    }
}

TEST_CASE("merge_parallel: no links, and a sum that overflows") {
    capacity_graph none = make_capacity_graph(network(2, 0, {}));
    CHECK_FALSE(merge_parallel(none));
    CHECK(none.graph.arcs() == 0);
    const std::vector<network::link> links{{0, 1, INT64_MAX}, {0, 1, INT64_MAX - 1}};
    capacity_graph large = make_capacity_graph(network(2, 0, links));
    CHECK(merge_parallel(large) ==
          argument_error{"bandwidth", 1, "bandwidths whose sum, divided by this one, is below 2^63"});
}
