#include "collsched/tree/planners/greedy.hpp"

#include <doctest/doctest.h>

#include "support/random_clusters.hpp"

using namespace collsched;

TEST_CASE("planners::flat_tree: the root sends to all others in ascending rank") {
    const tree_plan plan = planners::flat_tree{}(support::eight_nodes(2));
    CHECK(support::drawn(plan.edges) == "2>0 2>1 2>3 2>4 2>5 2>6 2>7");
    CHECK(support::drawn(many_to_one(planners::flat_tree{}, support::eight_nodes(2)).edges) ==
          "2>7 2>6 2>5 2>4 2>3 2>1 2>0");
}

TEST_CASE("planners::flat_tree: plans among some ranks only") {
    const rank_t some[] = {1, 3, 6};
    const tree_plan::request request = support::eight_nodes(0);
    CHECK(support::drawn(planners::flat_tree::group_edges(request, owned_array<rank_t>(some), 3)) == "3>1 3>6");
}
