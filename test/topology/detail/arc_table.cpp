#include "collsched/topology/detail/arc_table.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace collsched;
using topology::detail::arc_table;

TEST_CASE("arc_table: links from one vertex to another are one arc") {
    const std::vector<topology::network::link> links{{2, 0, 5}, {0, 1, 3}, {2, 0, 7}, {0, 2, 1}};
    const arc_table arcs(topology::network(2, 1, links));
    CHECK(arcs.fits());
    REQUIRE(arcs.size() == 3);
    REQUIRE(arcs.find(2, 0) >= 0);
    CHECK(arcs[arcs.find(2, 0)].from == 2);
    CHECK(arcs[arcs.find(2, 0)].to == 0);
    CHECK(arcs[arcs.find(2, 0)].bandwidth == 12);
    CHECK(arcs[arcs.find(0, 1)].bandwidth == 3);
    CHECK(arcs[arcs.find(0, 2)].bandwidth == 1);
    CHECK(arcs.find(1, 0) == -1);
    CHECK(arcs.find(2, 1) == -1);
    REQUIRE(arcs.into(0).size() == 1);
    CHECK(arcs.into(0)[0] == arcs.find(2, 0));
    CHECK(arcs.into(1).size() == 1);
}

TEST_CASE("arc_table: a sum of bandwidths above 63 bits is reported") {
    const std::vector<topology::network::link> links{{0, 1, INT64_MAX}, {0, 1, 1}, {1, 0, INT64_MAX}};
    CHECK_FALSE(arc_table(topology::network(2, 0, links)).fits());
    CHECK(arc_table(topology::network(2, 0, std::span(links).first(1))).fits());
}
