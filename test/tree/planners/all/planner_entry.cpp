#include "collsched/tree/planners/all.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/tree/planners/greedy.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;

using both = planners::detail::planner_list<planners::flat_tree>::append<planners::binomial>;
static_assert(both::entries.size() == 2 && planners::detail::planner_list<>::entries.empty());

TEST_CASE("planners::planner_entry: planners as types and as entries, in the order of the list") {
    std::string names;
    both::for_each([&]<class Planner>() { names += std::string(Planner::name) + ";"; });
    CHECK(names == "ft;bt;");
    names.clear();
    for (const planners::planner_entry& entry : both::entries) names += std::string(entry.name) + ";";
    CHECK(names == "ft;bt;");
}

TEST_CASE("planners::planner_entry: entries plan in both directions") {
    const tree_plan::request request = support::random_request(4, 9);
    CHECK(both::entries[1].plan(request) == planners::binomial{}(request));
    CHECK(both::entries[1].plan_back(request) == many_to_one(planners::binomial{}, request));
}

TEST_CASE("planners::planner_entry: an entry is found by its complete name") {
    CHECK(both::find("bt") == &both::entries[1]);
    CHECK(both::find("b") == nullptr);
    CHECK(both::find("btt") == nullptr);
}
