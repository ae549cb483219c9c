#include "collsched/topology/reversed.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using namespace collsched;
using topology::network;

TEST_CASE("reversed: every link in the other direction, with names") {
    const std::vector<network::link> links{{0, 2, 5, 7}, {2, 1, 6, 8}};
    const std::vector<const char*> names{"a", "b", "s"};
    const network net(2, 1, links, names), back = topology::reversed(net);
    CHECK(back.links()[0] == network::link{2, 0, 5, 7});
    CHECK(back.links()[1] == network::link{1, 2, 6, 8});
    CHECK(back.name(2) == std::string_view("s"));
    CHECK(topology::reversed(back) == net);
    CHECK(topology::reversed(topology::reversed(network(2, 1, links))) == network(2, 1, links));
    CHECK(topology::reversed(network(argument_error{"x", 1, "y"})).check().argument == std::string_view("x"));
}
