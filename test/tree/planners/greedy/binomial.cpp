#include "collsched/tree/planners/greedy.hpp"

#include <doctest/doctest.h>

#include "support/brief.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;

TEST_CASE("planners::binomial: distances halve from step to step, within a step senders ascend") {
    const tree_plan::request request = support::random_request(0, 10);
    CHECK(support::drawn(planners::binomial::group_edges(request, support::first_ranks(10), 0)) ==
          "0>8 0>4 0>2 4>6 0>1 2>3 4>5 6>7 8>9");
    CHECK(support::drawn(planners::binomial::group_edges(request, support::first_ranks(10), 7)) ==
          "7>5 7>1 7>9 1>3 7>8 9>0 1>2 3>4 5>6");
}

TEST_CASE("planners::binomial: among some ranks only, by their places in the list") {
    const rank_t some[] = {1, 3, 6, 7, 9};
    const tree_plan::request request = support::random_request(0, 10);
    CHECK(support::drawn(planners::binomial::group_edges(request, owned_array<rank_t>(some), 6)) == "6>3 6>9 6>7 9>1");
}

TEST_CASE("planners::binomial: equals the tree of the same name") {
    for (rank_t p = 1; p <= support::most(40); ++p) {
        const tree_plan::request request = support::random_request(static_cast<std::uint64_t>(p), p);
        const trees::planned_tree plan = planners::binomial{}(request).tree("bt");
        REQUIRE_FALSE(plan.check(p));
        CHECK(plan.root() == request.root);
        bool same = true;
        for (rank_t v = 1; v < p; ++v) same = same && plan.parent(p, v) == trees::binomial{}.parent(p, v);
        CHECK(same);
    }
}
