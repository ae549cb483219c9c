#include "collsched/tree/planners/detail/timed_tree.hpp"

#include <doctest/doctest.h>

#include "collsched/tree/planners/greedy.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;
using planners::detail::timed_tree;

TEST_CASE("timed_tree: measures the time of the plan, with stored costs or not") {
    for (const rank_t ranks : {rank_t{1}, rank_t{2}, rank_t{7}, rank_t{33}, rank_t{1100}}) {
        const tree_plan::request request = support::random_request(static_cast<std::uint64_t>(ranks), ranks);
        const tree_plan plan = planners::binomial{}(request);
        timed_tree tree(request, plan);
        picoseconds sum = 0;
        for (const picoseconds t : plan.ready) sum += t;
        CHECK(tree.measure().completion == plan.completion);
        CHECK(tree.measure().sum == sum);
        CHECK(tree.reached() == ranks);
        CHECK(tree.nth(0) == 0);
        CHECK(tree.clock(0) == plan.ready[request.root]);
        CHECK(tree.measure(plan.completion).sum == sum);
        if (plan.completion > 0) CHECK(plan.completion - 1 < tree.measure(plan.completion - 1).completion);
        if (ranks > 30) {
            CHECK(tree.measure(0).completion > 0);
            CHECK(tree.reached() < ranks);
            tree.measure();
        }
        CHECK(detail::ready_times(tree.edges(), request.cost, request.bytes, false) == plan.ready);
        CHECK_FALSE(trees::planned_tree(ranks, request.root, tree.edges()).check(ranks));
    }
}

TEST_CASE("timed_tree: measures a many-to-one plan") {
    for (const rank_t ranks : {rank_t{2}, rank_t{7}, rank_t{33}}) {
        const tree_plan::request request = support::random_request(static_cast<std::uint64_t>(ranks), ranks);
        const tree_plan plan = many_to_one(planners::binomial{}, request);
        timed_tree tree(request, plan);
        CHECK(tree.measure().completion == plan.completion);
        CHECK(tree.reached() == ranks);
        CHECK(detail::ready_times(tree.edges(), request.cost, request.bytes, true) == plan.ready);
    }
}

TEST_CASE("timed_tree: completion counts before the sum") {
    using value = timed_tree::value;
    CHECK(value{1, 9} < value{2, 3});
    CHECK(value{1, 3} < value{1, 9});
    CHECK_FALSE(value{1, 9} < value{1, 9});
    CHECK_FALSE(value{2, 3} < value{1, 9});
}

TEST_CASE("timed_tree: cutting, joining and exchanging") {
    const tree_plan::request request = support::eight_nodes(2);
    timed_tree tree(request, planners::flat_tree{}(request));  // places 1 .. 7 are the ranks 0 1 3 4 5 6 7
    CHECK(tree.first_child(0) == 1);
    CHECK(tree.sibling_before(1) == -1);
    CHECK(tree.next_sibling(1) == 2);
    CHECK(tree.next_sibling(7) == -1);
    CHECK(tree.sibling_before(4) == 3);
    tree.cut(4, 3);
    CHECK(tree.next_sibling(3) == 5);
    tree.measure();
    CHECK(tree.reached() == 7);
    tree.join(4, 6, -1);
    CHECK(tree.parent(4) == 6);
    CHECK(support::drawn(tree.edges()) == "2>0 2>1 2>3 2>5 2>6 2>7 6>4");
    tree.cut(1, -1);
    tree.join(1, 6, 4);
    CHECK(support::drawn(tree.edges()) == "2>1 2>3 2>5 2>6 2>7 6>4 6>0");
    tree.swap_ranks(6, 7);
    CHECK(support::drawn(tree.edges()) == "2>1 2>3 2>5 2>7 2>6 7>4 7>0");
    CHECK(tree.measure().completion == [&] {
        picoseconds last = 0;
        for (const picoseconds t : detail::ready_times(tree.edges(), request.cost, request.bytes, false))
            last = std::max(last, t);
        return last;
    }());
}
