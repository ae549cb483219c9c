#include "collsched/tree/planners/all.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/tree/planners/greedy.hpp"
#include "support/brief.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;

namespace {

/// The fault of a plan for the request, or "".
std::string fault(const tree_plan& plan, const tree_plan::request& request, bool back) {
    if (plan.error) return plan.error.text().c_str();
    if (argument_error error = plan.tree("any").check(request.ranks())) return error.text().c_str();
    if (plan.root != request.root || plan.bytes != request.bytes || plan.many_to_one != back) return "what was asked";
    std::vector<bool> has(static_cast<std::size_t>(request.ranks()), back);
    has[static_cast<std::size_t>(request.root)] = true;
    for (const auto& [parent, child] : plan.edges) {
        const auto from = static_cast<std::size_t>(back ? child : parent),
                   to = static_cast<std::size_t>(back ? parent : child);
        if (!has[from] || (back && !has[to])) return "the order of the edges";
        has[from] = !back;
        has[to] = true;
    }
    if (!plan.edges.empty() && back && plan.edges[plan.edges.size() - 1].parent != plan.root) return "the last edge";
    if (!(plan.ready == detail::ready_times(plan.edges, request.cost, request.bytes, back))) return "the ready times";
    picoseconds last = 0;
    for (const picoseconds t : plan.ready) last = std::max(last, t);
    return plan.completion == last ? "" : "the completion";
}

}  // namespace

TEST_CASE("planners::all: every planner has a name") {
    std::string names;
    for (const planners::planner_entry& entry : planners::all::entries) names += std::string(entry.name) + " ";
    CHECK(names ==
          "ft bt fnf fef fef-cost fcef la la-mean fef-blind fcef-blind la-blind mgo magpie mpich-g eco refined "
          "optimal ");
    planners::all::for_each([]<class Planner>() { static_assert(planner<Planner>); });
}

TEST_CASE("planners::all: plans are spanning trees, in order and on time, in both directions") {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        const auto ranks = static_cast<rank_t>(1 + seed % 24);
        const tree_plan::request request = support::random_request(seed, ranks);
        for (const planners::planner_entry& entry : planners::all::entries) {
            if (ranks > 8 && std::string(entry.name) == "optimal") continue;
            CAPTURE(seed);
            CAPTURE(entry.name);
            CHECK(fault(entry.plan(request), request, false) == "");
            CHECK(fault(entry.plan_back(request), request, true) == "");
        }
    }
}

TEST_CASE("planners::all: many-to-one ends at the root") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const tree_plan::request request = support::random_request(seed, 12);
        const tree_plan plan = many_to_one(planners::mgo{}, request);
        CHECK(plan.ready[request.root] == plan.completion);
    }
}

TEST_CASE("planners::all: one rank and two are planned") {
    for (const planners::planner_entry& entry : planners::all::entries) {
        CAPTURE(entry.name);
        CHECK(entry.plan(support::random_request(1, 1)).edges.empty());
        const tree_plan::request two = support::random_request(2, 2);
        CHECK(support::drawn(entry.plan(two).edges) == (two.root == 0 ? "0>1" : "1>0"));
    }
}

TEST_CASE("planners::all: a wrong request is rejected") {
    tree_plan::request wrong[] = {
        support::random_request(0, 5), support::random_request(1, 5), support::random_request(2, 5), {}};
    wrong[0].root = 5;
    wrong[1].bytes = -1;
    wrong[2].switches = topology::switch_tree::flat(4);
    for (const tree_plan::request& request : wrong)
        for (const planners::planner_entry& entry : planners::all::entries) {
            CHECK(entry.plan(request).error == request.check());
            CHECK(entry.plan(request).edges.empty());
            CHECK(entry.plan_back(request).error == request.check());
            CHECK(entry.plan_back(request).edges.empty());
        }
}

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
