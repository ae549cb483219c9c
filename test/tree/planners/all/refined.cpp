#include "collsched/tree/planners/all.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/brief.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;

namespace {

picoseconds best_builder(const tree_plan::request& request, bool back = false) {
    picoseconds best = INT64_MAX;
    for (const planners::planner_entry& entry : planners::detail::builders::entries)
        best = std::min(best, (back ? entry.plan_back(request) : entry.plan(request)).completion);
    return best;
}

}  // namespace

TEST_CASE("planners::refined: never worse than the best builder, and often better") {
    int better = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        const tree_plan::request request = support::random_request(seed, static_cast<rank_t>(1 + seed % 30));
        const tree_plan plan = planners::refined{}(request);
        CHECK(plan.completion <= best_builder(request));
        CHECK(plan == planners::refined{}(request));
        better += plan.completion < best_builder(request) ? 1 : 0;
    }
    CHECK(better > 50);
}

TEST_CASE("planners::refined: many-to-one is no mirror, never worse than the best, and often better") {
    int better = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        const tree_plan::request request = support::random_request(seed, static_cast<rank_t>(1 + seed % 30));
        const tree_plan plan = many_to_one(planners::refined{}, request);
        CHECK(plan.many_to_one);
        CHECK_FALSE(plan.tree("refined").check(request.ranks()));
        CHECK(plan.completion <= best_builder(request, true));
        better += plan.completion < best_builder(request, true) ? 1 : 0;
    }
    CHECK(better > 50);
    // Only the receiver's overhead keeps it: all may send at once.
    const std::vector<picoseconds> overheads(4, 0), latencies(16, 0);
    const std::vector<std::int64_t> rates(16, 1'000'000'000);
    const tree_plan::request wide{topology::switch_tree::flat(4), lob_model(overheads, latencies, rates), 1001, 0};
    CHECK(many_to_one(planners::refined{}, wide).completion == 1'000'000'000);
    CHECK(planners::refined{}(wide).completion == 2'000'000'000);
}

TEST_CASE("planners::refined: finds a tree of eight nodes that no builder finds") {
    const tree_plan::request request = support::eight_nodes(1);
    CHECK(best_builder(request) == 159);
    CHECK(planners::refined{}(request).completion == 145);
}

TEST_CASE("planners::refined: no move and no exchange improves the result") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const tree_plan::request request = support::random_request(seed, static_cast<rank_t>(2 + seed % 12));
        planners::detail::timed_tree tree(request, planners::refined{}(request));
        const planners::detail::timed_tree::value best = tree.measure();
        for (rank_t v = 1; v < tree.places(); ++v) {
            for (rank_t u = 1; u < v; ++u) {
                tree.swap_ranks(u, v);
                CHECK_FALSE(tree.measure() < best);
                tree.swap_ranks(u, v);
            }
            const rank_t parent = tree.parent(v), before = tree.sibling_before(v);
            tree.cut(v, before);
            tree.measure();
            std::vector<rank_t> others;
            for (rank_t n = 0; n < tree.reached(); ++n) others.push_back(tree.nth(n));
            for (const rank_t u : others)
                for (rank_t after = -1, next = tree.first_child(u);; after = next, next = tree.next_sibling(next)) {
                    tree.join(v, u, after);
                    CHECK_FALSE(tree.measure() < best);
                    tree.cut(v, after);
                    if (next < 0) break;
                }
            tree.join(v, parent, before);
        }
    }
}

TEST_CASE("planners::refined: without work it is the best builder, with little work it is no worse") {
    for (std::uint64_t seed = 0; seed < (support::brief() ? 3 : 20); ++seed) {
        const tree_plan::request request = support::random_request(seed, 20);
        CHECK(planners::refined{.work = 0}(request).completion == best_builder(request));
        CHECK(planners::refined{.work = 500}(request).completion <= best_builder(request));
    }
    const tree_plan::request large = support::random_request(7, 1200);
    const tree_plan plan = planners::refined{.work = 20'000}(large);
    CHECK_FALSE(plan.tree("refined").check(1200));
    CHECK(plan.completion <= planners::fcef{}(large).completion);
}
