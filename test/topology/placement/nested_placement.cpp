#include "collsched/topology/placement.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace collsched;
using topology::check_nested;
using nested_placement = topology::placement::nested;
using topology::placement;

namespace {

placement at(const std::vector<rank_t>& nodes) { return placement::list(nodes, 9); }

}  // namespace

static_assert([] {
    const placement levels[] = {placement::block(8, 4), placement::block(8, 2)};
    const nested_placement both(levels);
    return both.levels() == 2 && both.level(1).node(5) == 1 && !both.check();
}());

TEST_CASE("check_nested: ranks of an inner node share an outer node, for neighbors and for ranks apart") {
    CHECK(!check_nested({}, {}));
    CHECK(!check_nested(at({0, 1, 2}), {}));
    CHECK(!check_nested({}, at({5, 5, 5})));
    CHECK(!check_nested(at({0, 1, 0, 1, 2}), at({3, 3, 3, 3, 1})));
    CHECK(!check_nested(at({2, 1, 2, 4}), at({2, 1, 2, 4})));
    CHECK(std::string(check_nested(at({0, 1, 0, 1}), at({0, 0, 0, 1})).text().c_str()) ==
          "placement[3]: got 1, expected one outer node for all ranks of an inner node");
    CHECK(check_nested({}, at({5, 5, 4})).index == 2);
    CHECK(std::string(check_nested(at({0, 1}), at({0, 1, 1})).text().c_str()) ==
          "placement: got 3, expected as many entries in every placement");
    CHECK(check_nested(placement::block(4, 0), {}).argument == std::string("nodes"));
    CHECK(check_nested({}, placement::block(4, 0)).argument == std::string("nodes"));
}

TEST_CASE("nested_placement: check() reports wrong levels, and the first that is not within the next") {
    const auto checked_levels = [](const std::vector<placement>& levels) { return nested_placement(levels).check(); };
    const placement sockets = at({0, 0, 1, 1, 2, 3}), nodes = at({0, 0, 0, 0, 1, 1}), racks = at({0, 0, 0, 0, 0, 0});
    CHECK(!nested_placement().check());
    CHECK(nested_placement().levels() == 0);
    CHECK(!checked_levels({sockets}));
    CHECK(!checked_levels({sockets, nodes, racks}));
    CHECK(checked_levels({nodes, sockets}).argument == std::string("placement"));
    CHECK(checked_levels({sockets, racks, nodes}).index == 4);
    CHECK(checked_levels({placement::block(4, 0)}).argument == std::string("nodes"));
    const std::vector<placement> two{sockets, nodes}, other{nodes, sockets};
    CHECK(nested_placement(two) == nested_placement(two));
    CHECK(!(nested_placement(two) == nested_placement(other)));
    CHECK(nested_placement(two).level(1) == nodes);
}
