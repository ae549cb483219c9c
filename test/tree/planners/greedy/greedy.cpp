#include "collsched/tree/planners/greedy.hpp"

#include <doctest/doctest.h>

#include "support/planner_oracle.hpp"

using namespace collsched;
namespace oracle = support::oracle;

static_assert([] {
    const trees::tree_edge wanted[] = {{1, 0}, {1, 2}, {0, 4}, {1, 3}, {0, 7}, {0, 6}, {1, 5}};
    const tree_plan plan = planners::fcef{}(support::eight_nodes(1));
    return !plan.error && plan.edges == owned_array<trees::tree_edge>(wanted) && plan.completion == 168;
}());

TEST_CASE("planners::greedy: plans are those of the published listings, in both directions") {
    CHECK(support::first_difference(planners::fnf{}, oracle::fnf) == "");
    CHECK(support::first_difference(planners::fef{}, oracle::fef) == "");
    CHECK(support::first_difference(planners::fef_cost{}, oracle::fef_cost, 200) == "");
    CHECK(support::first_difference(planners::fcef{}, oracle::fcef) == "");
    CHECK(support::first_difference(planners::la{}, oracle::la) == "");
    CHECK(support::first_difference(planners::la_mean{}, oracle::la_mean, 200) == "");
}

TEST_CASE("planners::greedy: the blind planners choose in their own model, and are timed in the given one") {
    CHECK(support::first_difference(planners::fef_blind{}, oracle::fef_blind, 200) == "");
    CHECK(support::first_difference(planners::fcef_blind{}, oracle::fcef_blind, 200) == "");
    CHECK(support::first_difference(planners::la_blind{}, oracle::la_blind, 200) == "");
}

TEST_CASE("planners::greedy: plans among some ranks only") {
    const tree_plan::request request = support::eight_nodes(6);
    const rank_t some[] = {1, 3, 6, 7};
    const auto drawn = [&]<class Planner>(const Planner&) {
        return support::drawn(Planner::group_edges(request, owned_array<rank_t>(some), 6));
    };
    CHECK(drawn(planners::fnf{}) == "6>3 6>1 6>7");
    CHECK(drawn(planners::fef{}) == "6>7 7>1 1>3");
    CHECK(drawn(planners::fcef{}) == "6>7 6>1 6>3");
    CHECK(drawn(planners::la{}) == "6>7 6>1 6>3");
}

TEST_CASE("planners::greedy: a few hundred ranks, where rows are read many times") {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const tree_plan::request request = support::random_request(seed, 150);
        CHECK(support::same(planners::fcef{}(request), oracle::fcef(request)));
        CHECK(support::same(planners::fef{}(request), oracle::fef(request)));
        CHECK(support::same(planners::la{}(request), oracle::la(request)));
        CHECK(support::same(planners::la_mean{}(request), oracle::la_mean(request)));
    }
}
