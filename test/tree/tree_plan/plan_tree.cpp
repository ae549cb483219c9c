#include "collsched/tree/tree_plan.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/tree/planners/mgo.hpp"
#include "collsched/tree/planners/optimal.hpp"
#include "support/clusters.hpp"

using namespace collsched;

TEST_CASE("plan_tree: the tree of the plan, one-to-many and many-to-one") {
    for (const lob_model& cluster : support::clusters(12)) {
        const tree_plan::request request{cluster.switches(), cluster, 400, 5};
        CHECK(plan_tree<planners::mgo>(tree_plan::direction::one_to_many, cluster, 12, 5, 400) ==
              planners::mgo{}(request).tree("mgo"));
        const auto up = plan_tree<planners::mgo>(tree_plan::direction::many_to_one, cluster, 12, 5, 400);
        CHECK(up == many_to_one(planners::mgo{}, request).tree("mgo"));
        CHECK(!up.check(12));
        CHECK(up.root() == 5);
    }
}

TEST_CASE("plan_tree: an impossible request is reported by the tree") {
    const lob_model cluster = support::clusters(3)[0];
    const auto error_of = [&](rank_t ranks, rank_t root, bytes_t bytes) {
        return std::string(plan_tree<planners::mgo>(tree_plan::direction::one_to_many, cluster, ranks, root, bytes)
                               .check(ranks)
                               .argument);
    };
    CHECK(error_of(4, 0, 1) == "cluster");
    CHECK(error_of(3, 3, 1) == "root");
    CHECK(error_of(3, 0, -1) == "bytes");
}

TEST_CASE("plan_tree: collectives over planned trees report the errors of their planner") {
    constexpr algorithm_info info = detail::planned_info<planners::mgo>(collective::gather);
    CHECK(info.collective == collective::gather);
    CHECK(std::string(info.name) == "mgo");
    CHECK(std::string(info.source) == planners::mgo::source);
    CHECK(std::string(info.ranks) == "any");
    CHECK(std::string(detail::planned_info<planners::optimal>(collective::reduce).ranks) == planners::optimal::ranks);
}

TEST_CASE("plan_tree: the mean of the blocks is rounded up") {
    CHECK(detail::mean_block(7, 3) == 7);
    CHECK(detail::mean_block(block_layout(std::vector<int>{1, 2, 5}), 3) == 3);
    CHECK(detail::mean_block(block_layout::partition(INT64_MAX, 4), 4) == INT64_C(1) << 61);
    CHECK(detail::mean_block(-1, 3) == 0);
    CHECK(detail::mean_block(7, 0) == 0);
}
