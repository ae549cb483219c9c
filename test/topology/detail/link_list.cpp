#include "collsched/topology/detail/link_list.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace collsched;
using detail::link_list;
using detail::shape_check;
using topology::network;

TEST_CASE("link_list: a network has the links that were added, both directions of a cable") {
    link_list links(5);
    links.both(0, 2, {5, 7});
    links.link(2, 1, {6, 0});
    const network::link expected[] = {{0, 2, 5, 7}, {2, 0, 5, 7}, {2, 1, 6, 0}};
    CHECK(links.build(2, 1) == network(2, 1, expected));
}

TEST_CASE("shape_check: the first error is reported") {
    CHECK_FALSE(shape_check().at_least("a", 1, 1, "1 or more").links("a", 1, 1 << 24).rates({1, 0}).error());
    CHECK(shape_check().at_least("a", 0, 1, "1 or more").rates({0, 0}).error() == argument_error{"a", 0, "1 or more"});
    CHECK(shape_check().at_least("a", (1 << 24) + 1, 1, "1 or more").error());
    CHECK(shape_check().links("a", 3, (1 << 24) + 1).error() == argument_error{"a", 3, "at most 2^24 links"});
    CHECK(shape_check().links("a", 3, checked(INT64_MAX) * 2).error());
    CHECK(shape_check().rates({0, 0}).error() == argument_error{"bandwidth", 0, "1 byte per second or more"});
    CHECK(shape_check().rates({1, -1}, 2).error() == argument_error{"latency", -1, "0 picoseconds or more", 2});
}
