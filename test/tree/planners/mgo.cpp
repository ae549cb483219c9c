#include "collsched/tree/planners/mgo.hpp"

#include <doctest/doctest.h>

#include "support/planner_oracle.hpp"

using namespace collsched;

// Level 1: 1 sends to 0 of its own site first, the remaining node there with the smallest (m-1)/b, then to 7, the quickest to
// reach of 5 6 7. Level 2: no node waits on the switch of 0 and 1, so they send at once, 0 first. 0 reaches 6 before 7 does.
static_assert([] {
    const trees::tree_edge wanted[] = {{1, 0}, {1, 7}, {0, 2}, {0, 6}, {1, 4}, {2, 3}, {0, 5}};
    const tree_plan plan = planners::mgo{}(support::eight_nodes(1));
    return !plan.error && plan.edges == owned_array<trees::tree_edge>(wanted) && plan.completion == 168;
}());

TEST_CASE("planners::mgo: plans are those of the listing, in both directions") {
    CHECK(support::first_difference(planners::mgo{}, support::oracle::mgo) == "");
}

TEST_CASE("planners::mgo: on one switch the plan is that of fcef") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        tree_plan::request request = support::random_request(seed, 30);
        request.switches = topology::switch_tree::flat(30);
        const tree_plan plan = planners::mgo{}(request);
        CHECK(support::same(plan, support::oracle::fcef(request)));
    }
}
