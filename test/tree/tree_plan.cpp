#include "collsched/tree/tree_plan.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/core/detail/sort.hpp"
#include "collsched/tree/planners/mgo.hpp"
#include "collsched/tree/planners/optimal.hpp"
#include "support/clusters.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;

using trees::tree_edge;

namespace {

/// The root sends to all others, the smallest latency first. The archetype.
struct by_latency {
    static constexpr const char* name = "by latency";
    static constexpr const char* source = "";
    constexpr tree_plan operator()(const tree_plan::request& ask) const {
        return tree_plan_of(ask, [&] {
            owned_array<tree_edge> edges(ask.ranks() - 1);
            for (rank_t n = 0; n < edges.size(); ++n) edges[n] = {ask.root, n < ask.root ? n : n + 1};
            detail::sort(edges.begin(), edges.size(), [&](const tree_edge& x, const tree_edge& y) {
                return ask.cost.latency(ask.root, x.child) < ask.cost.latency(ask.root, y.child);
            });
            return edges;
        });
    }
    bool operator==(const by_latency&) const = default;
};
struct nameless {
    [[maybe_unused]] static constexpr const char* source = "";
    tree_plan operator()(const tree_plan::request&) const { return {}; }
    bool operator==(const nameless&) const = default;
};
struct unsourced {
    static constexpr const char* name = "unsourced";
    tree_plan operator()(const tree_plan::request&) const { return {}; }
    bool operator==(const unsourced&) const = default;
};
struct edges_only {
    static constexpr const char* name = "edges";
    static constexpr const char* source = "";
    owned_array<tree_edge> operator()(const tree_plan::request&) const { return {}; }
    bool operator==(const edges_only&) const = default;
};
struct incomparable : by_latency {
    bool operator==(const incomparable&) const = delete;
};
static_assert(planner<by_latency> && !planner<nameless> && !planner<unsourced> && !planner<edges_only> &&
              !planner<incomparable>);

constexpr picoseconds overheads[] = {10, 20, 30, 40};
constexpr picoseconds latencies[] = {-1, 100, 200, 300, 150, -1, 140, 350, 210, 260, -1, 160, 310, 360, 410, -1};
constexpr std::int64_t byte_fs[] = {-1, 1, 2, 3, 4, -1, 5, 6, 7, 8, -1, 9, 11, 12, 13, -1};

/// 1001 bytes, so that 1 fs per byte is 1 ps per message.
constexpr tree_plan::request request(rank_t root = 0) {
    return {topology::switch_tree::flat(4), lob_model(overheads, latencies, byte_fs), 1001, root};
}

std::string wrong_with(const tree_plan::request& ask) {
    const tree_plan plan = by_latency{}(ask), back = many_to_one(by_latency{}, ask);
    CHECK(plan.edges.empty());
    CHECK(plan.completion == 0);
    CHECK(back.many_to_one);
    CHECK(back.edges.empty());
    CHECK(plan.error == ask.check());
    CHECK(back.error == ask.check());
    CHECK(plan.tree("x").check(1) == ask.check());
    return plan.error ? plan.error.text().c_str() : "";
}

}  // namespace

TEST_CASE("tree_plan: costs of a message") {
    CHECK(request().ranks() == 4);
    CHECK(request().busy(1, 2) == 20 + 5);
    CHECK(request().duration(1, 2) == 20 + 5 + 140 + 30);
}

TEST_CASE("tree_plan: one-to-many ready times") {
    const tree_edge edges[] = {{0, 2}, {0, 1}, {2, 3}};
    static_assert([] {
        const tree_edge one[] = {{0, 2}};
        return detail::ready_times(one, request().cost, 1001, false)[2] == 10 + 2 + 200 + 30;
    }());
    const owned_array<picoseconds> ready = detail::ready_times(edges, request().cost, 1001, false);
    CHECK(ready[0] == (10 + 2) + (10 + 1));
    CHECK(ready[1] == 12 + (10 + 1) + 100 + 20);
    CHECK(ready[2] == 242 + (30 + 9));
    CHECK(ready[3] == 242 + (30 + 9) + 160 + 40);
}

TEST_CASE("tree_plan: many-to-one, a message waits for a receiver that is not ready") {
    const tree_edge edges[] = {{2, 3}, {0, 1}, {0, 2}};
    const owned_array<picoseconds> ready = detail::ready_times(edges, request().cost, 1001, true);
    CHECK(ready[3] == 40 + 13);
    CHECK(ready[1] == 20 + 4);
    CHECK(ready[2] == 53 + 410 + 30 + (30 + 7));
    CHECK(ready[0] == 530 + 210 + 10);

    const tree_edge queue[] = {{0, 1}, {0, 2}};  // the second is there at 30 + 7 + 210, the first at 20 + 4 + 150
    CHECK(detail::ready_times(queue, request().cost, 1001, true)[0] == 247 + 10);
    const tree_edge late[] = {{0, 2}, {0, 1}};
    CHECK(detail::ready_times(late, request().cost, 1001, true)[0] == 247 + 10 + 10);
}

TEST_CASE("tree_plan: a plan has its edges and times") {
    constexpr bool correct = [] {
        const tree_plan plan = by_latency{}(request(2));
        return plan.edges[0] == tree_edge{2, 3} && plan.edges[1] == tree_edge{2, 0} &&
               plan.edges[2] == tree_edge{2, 1} && plan.root == 2 && plan.bytes == 1001 && !plan.error &&
               plan.completion == plan.ready[1];
    }();
    static_assert(correct);
    const trees::planned_tree tree = by_latency{}(request(2)).tree("mine");
    CHECK_FALSE(tree.check(4));
    CHECK(tree.root() == 2);
    CHECK(tree.step(4, 1) == 0);  // rank 3
    CHECK(tree.step(4, 3) == 2);  // rank 1
    CHECK(std::string(tree.planner()) == "mine");
}

TEST_CASE("tree_plan: many-to-one plans are reversed plans of the opposite links, with the times of the given model") {
    const tree_plan::request ask = request(1);
    CHECK(by_latency{}(ask).edges[0] == tree_edge{1, 2});
    const tree_plan back = many_to_one(by_latency{}, ask);  // to rank 1: 100 from 0, 260 from 2, 360 from 3
    REQUIRE(back.edges.size() == 3);
    CHECK(back.edges[0] == tree_edge{1, 3});
    CHECK(back.edges[1] == tree_edge{1, 2});
    CHECK(back.edges[2] == tree_edge{1, 0});
    CHECK(back.ready == detail::ready_times(back.edges, ask.cost, ask.bytes, true));
    CHECK(back.completion == back.ready[1]);
    CHECK(back.many_to_one);
    CHECK(back.root == 1);
    CHECK(back.bytes == 1001);
    const trees::planned_tree tree = back.tree("mine");  // its steps are those of one-to-many
    CHECK(tree.step(4, 3) == 0);                         // rank 0
    CHECK(tree.step(4, 2) == 2);                         // rank 3
}

TEST_CASE("tree_plan: one rank has no edges") {
    const picoseconds o[] = {5};
    const lob_model::link_cost link[] = {{1, 1}}, up[] = {{}};
    const auto switches = topology::switch_tree::flat(1);
    const tree_plan::request alone{switches, lob_model(switches, o, link, up), 100, 0};
    for (const tree_plan& plan : {by_latency{}(alone), many_to_one(by_latency{}, alone)}) {
        CHECK_FALSE(plan.error);
        CHECK(plan.edges.empty());
        CHECK(plan.completion == 0);
        CHECK_FALSE(plan.tree("x").check(1));
    }
}

TEST_CASE("tree_plan: errors of a request are reported") {
    CHECK(wrong_with({}) == "nodes: got 0, expected 1 or more");
    tree_plan::request ask = request(4);
    CHECK(wrong_with(ask) == "root: got 4, expected 0 to ranks-1");
    ask.root = -1;
    CHECK(wrong_with(ask) == "root: got -1, expected 0 to ranks-1");
    ask = request();
    ask.bytes = -1;
    CHECK(wrong_with(ask) == "bytes: got -1, expected 0 bytes or more");
    ask.cost = ask.cost.with_matrices({}, std::vector<std::int64_t>(16, 1'000'000));
    ask.bytes = INT64_MAX;
    CHECK(wrong_with(ask).substr(0, 5) == "bytes");
    ask = request();
    ask.switches = topology::switch_tree::flat(5);
    CHECK(wrong_with(ask) == "nodes: got 5, expected as many in the tree as in the model");
    const rank_t parents[] = {3}, homes[] = {0, 0, 0, 0};
    ask.switches = topology::switch_tree(parents, homes);
    CHECK(wrong_with(ask).substr(0, 7) == "parents");
    const rank_t nowhere[] = {0, 0, 0, 7};  // hangs on no switch
    ask.switches = topology::switch_tree({}, nowhere);
    CHECK(wrong_with(ask).substr(0, 5) == "homes");
}

TEST_CASE("tree_plan: mirrored costs are those of the opposite direction, and mirrored twice the original ones") {
    const tree_plan::request ask = support::random_request(3, 7);
    for (rank_t i = 0; i < 7; ++i)
        for (rank_t j = 0; j < 7; ++j) {
            CHECK(ask.mirrored().duration(i, j) == ask.duration(j, i));
            CHECK(ask.mirrored().busy(i, j) == ask.cost.overhead(i) + ask.cost.stream(j, i, ask.bytes));
        }
    CHECK(ask.mirrored().mirrored() == ask);
}

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
