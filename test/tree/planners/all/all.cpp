#include "collsched/tree/planners/all.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

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
