#include "collsched/collective/broadcast/planned.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "collsched/schedule/edge_views.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/tree/planners/greedy.hpp"
#include "collsched/tree/planners/mgo.hpp"
#include "support/clusters.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<broadcast::planned<planners::mgo>>());
static_assert(derived_algorithm<broadcast::planned<planners::mgo>>);

TEST_CASE("broadcast::planned: correct on every cluster, from every root, whole and in segments") {
    for (const rank_t p : {1, 2, 3, 7, 16})
        for (const lob_model& cluster : support::clusters(p))
            for (rank_t root = 0; root < p; root += 1 + p / 3)
                for (const bytes_t segment : {0, 100}) {
                    const broadcast::planned<planners::mgo> b{
                        .ranks = p, .root = root, .bytes = 1000, .segment = segment, .cluster = cluster};
                    CHECK(support::verified(b).ok());
                    CHECK(support::verified(b, binding::in_place).ok());
                }
}

TEST_CASE("broadcast::planned: a run in the (L, o, b) model takes the time of the plan") {
    for (const rank_t p : {1, 2, 5, 12, 33})
        for (const lob_model& cluster : support::clusters(p)) {
            const auto same = [&]<class Planner>(Planner planner) {
                const broadcast::planned<Planner> b{.ranks = p, .root = p / 2, .bytes = 700, .cluster = cluster};
                const tree_plan plan = planner({cluster.switches(), cluster, 700, p / 2});
                const simulation run = simulate(b, cluster);
                REQUIRE(!run.check());
                CHECK(run.completion == plan.completion);
                for (rank_t r = 0; r < p; ++r) CHECK(run.finish[r] == plan.ready[r]);
            };
            same(planners::mgo{});
            same(planners::fcef{});
            same(planners::flat_tree{});
        }
}

TEST_CASE("broadcast::planned: planned for messages of one segment") {
    const lob_model cluster = support::clusters(9)[0];
    const auto tree_of = [&](bytes_t bytes, bytes_t segment) {
        std::vector<std::pair<rank_t, rank_t>> first;
        for (const edge& e : edges(broadcast::planned<planners::fcef>{
                 .ranks = 9, .bytes = bytes, .segment = segment, .cluster = cluster}))
            if (!e.is_local() && e.from_offset == 0) first.push_back({e.src, e.dst});
        return first;
    };
    constexpr bytes_t most = 100'000;
    REQUIRE(tree_of(1, 0) != tree_of(most, 0));
    for (const bytes_t segment : {bytes_t{100}, most - 1, most, most + 1, 2 * most})
        CHECK(tree_of(most, segment) == tree_of(std::min(segment, most), 0));
    CHECK(tree_of(200, 1) == tree_of(1, 0));
}

TEST_CASE("broadcast::planned: a cluster of another size is rejected") {
    const auto error_of = [](rank_t p) {
        const broadcast::planned<planners::mgo> b{.ranks = p, .bytes = 1, .cluster = support::clusters(4)[0]};
        return std::string(check(b).argument != nullptr ? check(b).argument : "");
    };
    CHECK(error_of(4) == "");
    CHECK(error_of(5) == "cluster");
    CHECK(error_of(0) == "ranks");
    CHECK(std::string(check(broadcast::planned<planners::mgo>{.ranks = 2}).argument) == "cluster");
    CHECK(fingerprint(broadcast::planned<planners::mgo>{.ranks = 4, .bytes = 9, .cluster = support::clusters(4)[0]}) !=
          fingerprint(broadcast::planned<planners::mgo>{.ranks = 4, .bytes = 9, .cluster = support::clusters(4)[1]}));
}

TEST_CASE("broadcast::planned: a tree planned for another root is rejected") {
    const std::vector<trees::tree_edge> edges{{2, 0}, {2, 1}, {0, 3}};
    const trees::planned_tree tree(4, 2, edges);
    CHECK(!check(broadcast::over_tree<trees::planned_tree>{.ranks = 4, .root = 2, .bytes = 1, .tree = tree}));
    CHECK(std::string(check(broadcast::over_tree<trees::planned_tree>{.ranks = 4, .root = 1, .bytes = 1, .tree = tree})
                          .argument) == "root");
}
