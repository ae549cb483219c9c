#include "collsched/collective/detail/two_levels.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allreduce/hierarchical.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "support/placements.hpp"

using namespace collsched;
using support::placed_as;
using tree = broadcast::over_tree<trees::binomial>;

TEST_CASE("two_levels: parts of every group and of the leaders have their sizes, and the nodes of the leaders") {
    const detail::two_levels two({.collective = collective::allreduce, .ranks = 5, .bytes = 8},
                                 groups_of(placed_as("ABABA"), 5), 3);
    const auto part =
        two.parts(tree{}, [](rank_t) { return contract{.collective = collective::broadcast, .bytes = 8}; });
    CHECK(part(0) == tree{.ranks = 3, .bytes = 8});
    CHECK(part(1) == tree{.ranks = 2, .bytes = 8});
    CHECK(two.leaders.leader(0) == 0);
    CHECK(two.leaders.leader(1) == 3);
    const auto outer = two.led(allreduce::hierarchical<>{.placement = placed_as("CACAC")}, two.contract);
    CHECK(outer.ranks == 2);
    CHECK(outer.placement.ranks() == 2);
    CHECK(outer.placement.node(0) != outer.placement.node(1));
}
