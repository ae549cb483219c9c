#include "collsched/collective/broadcast/planned.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "collsched/schedule/edge_views.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/tree/planners/flat_tree.hpp"
#include "collsched/tree/planners/greedy.hpp"
#include "collsched/tree/planners/mgo.hpp"
#include "support/clusters.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<broadcast::planned<planners::mgo>>());
static_assert(derived_algorithm<broadcast::planned<planners::mgo>>);

TEST_CASE("right on every cluster, from every root, short and in segments") {
    for (const rank_t p : {1, 2, 3, 7, 16})
        for (const cluster_model& cluster : support::clusters(p))
            for (rank_t root = 0; root < p; root += 1 + p / 3)
                for (const bytes_t segment : {0, 100}) {
                    const broadcast::planned<planners::mgo> b{
                        .ranks = p, .root = root, .bytes = 1000, .segment = segment, .cluster = cluster};
                    CHECK(support::verified(b).ok());
                    CHECK(support::verified(b, binding::in_place).ok());
                }
}

TEST_CASE("run in the (L, o, b) model, it takes what the plan says") {
    for (const rank_t p : {1, 2, 5, 12, 33})
        for (const cluster_model& cluster : support::clusters(p)) {
            const auto same = [&]<class Planner>(Planner planner) {
                const broadcast::planned<Planner> b{.ranks = p, .root = p / 2, .bytes = 700, .cluster = cluster};
                const send_plan plan = planner({cluster.machines, cluster.cost, 700, p / 2});
                const simulation run = simulate(b, cluster.cost);
                REQUIRE(!run.check());
                CHECK(run.completion == plan.completion);
                for (rank_t r = 0; r < p; ++r) CHECK(run.finish[r] == plan.ready[r]);
            };
            same(planners::mgo{});
            same(planners::fcef{});
            same(planners::flat_tree{});
        }
}

TEST_CASE("it is planned for messages of one segment") {
    const cluster_model cluster = support::clusters(9)[0];
    const broadcast::planned<planners::fcef> whole{.ranks = 9, .bytes = 100, .cluster = cluster},
        pieces{.ranks = 9, .bytes = 100'000, .segment = 100, .cluster = cluster};
    const auto tree_of = [](const auto& b) {
        std::vector<std::pair<rank_t, rank_t>> first;
        for (const edge& e : edges(b))
            if (!e.is_local() && e.from_offset == 0) first.push_back({e.src, e.dst});
        return first;
    };
    CHECK(tree_of(whole) == tree_of(pieces));
}

TEST_CASE("without a cluster of its size there is nothing to plan") {
    const auto told = [](rank_t p) {
        const broadcast::planned<planners::mgo> b{.ranks = p, .bytes = 1, .cluster = support::clusters(4)[0]};
        return std::string(check(b).argument != nullptr ? check(b).argument : "");
    };
    CHECK(told(4) == "");
    CHECK(told(5) == "cluster");
    CHECK(told(0) == "ranks");
    CHECK(std::string(check(broadcast::planned<planners::mgo>{.ranks = 2}).argument) == "cluster");
    CHECK(fingerprint(broadcast::planned<planners::mgo>{.ranks = 4, .bytes = 9, .cluster = support::clusters(4)[0]}) !=
          fingerprint(broadcast::planned<planners::mgo>{.ranks = 4, .bytes = 9, .cluster = support::clusters(4)[1]}));
}

TEST_CASE("a tree that was planned for another root is refused") {
    const std::vector<trees::tree_edge> edges{{2, 0}, {2, 1}, {0, 3}};
    const trees::planned_tree tree(4, 2, edges);
    CHECK(!check(broadcast::over_tree<trees::planned_tree>{.ranks = 4, .root = 2, .bytes = 1, .tree = tree}));
    CHECK(std::string(check(broadcast::over_tree<trees::planned_tree>{.ranks = 4, .root = 1, .bytes = 1, .tree = tree})
                          .argument) == "root");
}
