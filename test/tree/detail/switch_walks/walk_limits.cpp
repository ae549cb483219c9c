#include "collsched/tree/detail/switch_walks.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using trees::detail::find_limits;
using trees::detail::signed_vector;
using trees::detail::switch_walk;
using trees::detail::walk_limits;
using numbers = signed_vector<std::int64_t>;

TEST_CASE("walk_limits: orbits of equal walks are one limit, inside that of more walks") {
    // Walk 0 over a leaf, by orbits 0 and 1; walks 1 and 2 over spines, by orbits 2 and 3, 4 and 5 as well.
    const signed_vector<switch_walk> walks{{{0, 1}, {}}, {{0, 2, 3, 1}, {}}, {{0, 4, 5, 1}, {}}};
    const walk_limits made = find_limits(walks, 7);
    REQUIRE(made.nested);
    REQUIRE(made.limits.length() == 3);
    CHECK(made.limits[0].orbits == numbers{2, 3});
    CHECK(made.limits[0].walks == numbers{1});
    CHECK(made.limits[0].outer == 2);
    CHECK(made.limits[1].orbits == numbers{4, 5});
    CHECK(made.limits[1].outer == 2);
    CHECK(made.limits[2].orbits == numbers{0, 1});
    CHECK(made.limits[2].outer == -1);
    CHECK(made.of_walk == numbers{2, 0, 1});
}

TEST_CASE("walk_limits: walks that overlap in parts are not nested") {
    const signed_vector<switch_walk> grid{{{0, 2}, {}}, {{0, 3}, {}}, {{1, 2}, {}}, {{1, 3}, {}}};
    CHECK_FALSE(find_limits(grid, 4).nested);
    const signed_vector<switch_walk> diagonal{{{0, 2}, {}}, {{1, 3}, {}}};
    CHECK(find_limits(diagonal, 4).nested);
    const signed_vector<switch_walk> chain{{{0}, {}}, {{0, 1}, {}}, {{1}, {}}};
    CHECK_FALSE(find_limits(chain, 2).nested);
}

TEST_CASE("walk_limits: three levels") {
    const signed_vector<switch_walk> walks{{{0}, {}}, {{0, 1}, {}}, {{0, 1, 2}, {}}};
    const walk_limits made = find_limits(walks, 3);
    REQUIRE(made.nested);
    CHECK(made.of_walk == numbers{2, 1, 0});
    CHECK(made.limits[0].outer == 1);
    CHECK(made.limits[1].outer == 2);
}
