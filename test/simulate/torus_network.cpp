#include "collsched/simulate/torus_network.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

using namespace collsched;
using collsched::detail::link_route;

TEST_CASE("torus_network: messages take a shortest path, along the first dimension first") {
    const std::vector<rank_t> sizes = {3, 4};
    const topology::torus shape(sizes);
    const link_network net = torus_network(shape, {10, 3});
    CHECK(net.links().size() == 48);
    for (rank_t a = 0; a < 12; ++a)
        for (rank_t b = 0; b < 12; ++b) {
            const link_route way = net.route(a, b);
            CHECK(std::ssize(way) == shape.distance(a, b));
            CHECK(std::set<std::int32_t>(way.begin(), way.end()).size() == way.size());
        }
    // From (0,0) to (1,1): forwards along dimension 0, then along 1. A node's links: two of each dimension.
    CHECK(net.route(0, 5) == link_route{0, 4 * 4 + 2});
    CHECK(net.route(0, 8) == link_route{1});         // (2,0): one back
    CHECK(net.route(0, 2) == link_route{2, 4 + 2});  // two along dimension 1 either way: forwards
    CHECK(net.route(0, 3) == link_route{3});
    CHECK(net.cost(net.route(0, 5)) == lob_model::link_cost{20, 3});
}
