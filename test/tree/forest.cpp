#include "collsched/tree/forest.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using trees::forest;

TEST_CASE("forest: the edges of a tree, and their paths") {
    // 0 -> 1 by switch 3, then 1 -> 2.
    const std::vector<rank_t> vertices{0, 3, 1, 1, 2};
    const std::vector<forest::edge> edges{{0, 1, 0, 3}, {1, 2, 3, 5}};
    const std::vector<forest::tree> trees{{.root = 0, .weight = 2, .first_edge = 0, .end_edge = 2}};
    const forest one{.ranks = 3,
                     .total = 2,
                     .unit = {5, 2},
                     .trees = owned_array<forest::tree>(trees),
                     .edges = owned_array<forest::edge>(edges),
                     .vertices = owned_array<rank_t>(vertices)};
    CHECK(one.edges_of(one.trees[0]).size() == 2);
    CHECK(one.edges_of(one.trees[0])[1] == edges[1]);
    CHECK(one.path(edges[0]).size() == 3);
    CHECK(one.path(edges[0])[1] == 3);
    CHECK(one.path(edges[1])[0] == 1);
    CHECK(one == forest(one));
}
