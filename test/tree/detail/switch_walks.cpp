#include "collsched/tree/detail/switch_walks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "support/network_walks.hpp"

using namespace collsched;

using topology::network;
using trees::detail::switch_walk;

namespace {

/// The numbers of links and of starts of each walk, ascending.
std::vector<std::pair<std::int64_t, std::int64_t>> shapes_of(const network& net, bool returning = false) {
    support::network_walks of(net);
    REQUIRE(of.found);
    if (returning) of.search.keep_returning();
    std::vector<std::pair<std::int64_t, std::int64_t>> shapes;
    for (const switch_walk& walk : of.search.walks()) {
        shapes.emplace_back(walk.orbits.length(), walk.starts.length());
        for (std::int64_t step : walk.starts) {
            std::vector<rank_t> path;
            for (; step >= 0; step = of.search.steps()[step].next) path.push_back(of.search.steps()[step].vertex);
            REQUIRE(std::ssize(path) == walk.orbits.length() + 1);
            CHECK(path.back() == 0);
            for (std::size_t i = 0; i + 1 < path.size(); ++i) {
                const std::int64_t arc = of.arcs.find(path[i], path[i + 1]);
                REQUIRE(arc >= 0);
                CHECK(of.orbits.of[arc] == walk.orbits[walk.orbits.length() - 1 - static_cast<std::int64_t>(i)]);
                CHECK(net.is_switch(path[i]) == (i > 0));
            }
        }
    }
    std::sort(shapes.begin(), shapes.end());
    return shapes;
}

using shapes = std::vector<std::pair<std::int64_t, std::int64_t>>;

}  // namespace

TEST_CASE("switch_walks: one link per direction of a torus") {
    const rank_t sizes[] = {4, 3};
    CHECK(shapes_of(topology::networks::torus(sizes, topology::network::cable{})) ==
          shapes{{1, 1}, {1, 1}, {1, 1}, {1, 1}});
}

TEST_CASE("switch_walks: over the leaf, or over each spine") {
    const network net = topology::networks::leaf_spine({.leaves = 3, .ranks_per_leaf = 4, .spines = 2});
    CHECK(shapes_of(net) == shapes{{2, 3}, {4, 8}, {4, 8}});
}

TEST_CASE("switch_walks: those that return leave out changes of interface") {
    // Each rank has two interfaces at a common switch.
    const network net = topology::networks::boxes({.boxes = 3, .ranks_per_box = 1, .nics_per_box = 2, .rails = 1});
    CHECK(shapes_of(net) == shapes{{4, 2}, {4, 2}, {4, 2}, {4, 2}});
    CHECK(shapes_of(net, true) == shapes{{4, 2}, {4, 2}});
}

TEST_CASE("switch_walks: an orbit is passed once") {
    // Ranks 0 to 3 at switches 4 to 7, which form a ring.
    std::vector<network::link> links;
    for (rank_t r = 0; r < 4; ++r) {
        links.push_back({r, 4 + r, 1}), links.push_back({4 + r, r, 1});
        links.push_back({4 + r, 4 + (r + 1) % 4, 1}), links.push_back({4 + (r + 1) % 4, 4 + r, 1});
    }
    CHECK(shapes_of(network(4, 4, links)) == shapes{{3, 1}, {3, 1}});
}

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
