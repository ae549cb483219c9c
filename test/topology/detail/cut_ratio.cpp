#include "collsched/topology/detail/cut_ratio.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using topology::network;
using namespace topology::detail;

TEST_CASE("cut_ratio: capacities are divided by their greatest common divisor") {
    const std::vector<network::link> links{{0, 1, 30}, {1, 0, 42}};
    const capacity_graph net = make_capacity_graph(network(2, 0, links).reversed());
    CHECK(net.unit == 6);
    CHECK(net.graph[0].from == 1);
    CHECK(net.graph[0].capacity == 5);
    CHECK(net.graph[1].capacity == 7);
}

TEST_CASE("cut_ratio: a cut of several ranks decides") {
    // Pairs 0, 1 and 2, 3 with fast links within, one slow link between the pairs.
    const std::vector<network::link> links{{0, 1, 9}, {1, 0, 9}, {2, 3, 9}, {3, 2, 9}, {1, 2, 3}, {2, 1, 3}};
    const capacity_graph net = make_capacity_graph(network(4, 0, links));
    const std::vector<rank_t> roots{0, 1, 2, 3};
    const cut_ratio found = cut_ratio_search(net, roots).run();
    CHECK_FALSE(found.error);
    CHECK(found.rate == fraction(1, 2));
    CHECK(found.inside[0] == found.inside[1]);
    CHECK(found.inside[0] != found.inside[2]);
}
