#include "collsched/tree/planners/greedy.hpp"

#include <doctest/doctest.h>

#include "support/brief.hpp"
#include "support/planner_oracle.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;

namespace oracle = support::oracle;

static_assert([] {
    const trees::tree_edge wanted[] = {{1, 0}, {1, 2}, {0, 4}, {1, 3}, {0, 7}, {0, 6}, {1, 5}};
    const tree_plan plan = planners::fcef{}(support::eight_nodes(1));
    return !plan.error && plan.edges == owned_array<trees::tree_edge>(wanted) && plan.completion == 168;
}());

TEST_CASE("planners::greedy: plans are those of the published listings, in both directions") {
    CHECK(support::first_difference(planners::fnf{}, oracle::fnf) == "");
    CHECK(support::first_difference(planners::fef{}, oracle::fef) == "");
    CHECK(support::first_difference(planners::fef_cost{}, oracle::fef_cost, 200) == "");
    CHECK(support::first_difference(planners::fcef{}, oracle::fcef) == "");
    CHECK(support::first_difference(planners::la{}, oracle::la) == "");
    CHECK(support::first_difference(planners::la_mean{}, oracle::la_mean, 200) == "");
}

TEST_CASE("planners::greedy: the blind planners choose in their own model, and are timed in the given one") {
    CHECK(support::first_difference(planners::fef_blind{}, oracle::fef_blind, 200) == "");
    CHECK(support::first_difference(planners::fcef_blind{}, oracle::fcef_blind, 200) == "");
    CHECK(support::first_difference(planners::la_blind{}, oracle::la_blind, 200) == "");
}

TEST_CASE("planners::greedy: plans among some ranks only") {
    const tree_plan::request request = support::eight_nodes(6);
    const rank_t some[] = {1, 3, 6, 7};
    const auto drawn = [&]<class Planner>(const Planner&) {
        return support::drawn(Planner::group_edges(request, owned_array<rank_t>(some), 6));
    };
    CHECK(drawn(planners::fnf{}) == "6>3 6>1 6>7");
    CHECK(drawn(planners::fef{}) == "6>7 7>1 1>3");
    CHECK(drawn(planners::fcef{}) == "6>7 6>1 6>3");
    CHECK(drawn(planners::la{}) == "6>7 6>1 6>3");
}

TEST_CASE("planners::greedy: a few hundred ranks, where rows are read many times") {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const tree_plan::request request = support::random_request(seed, 150);
        CHECK(support::same(planners::fcef{}(request), oracle::fcef(request)));
        CHECK(support::same(planners::fef{}(request), oracle::fef(request)));
        CHECK(support::same(planners::la{}(request), oracle::la(request)));
        CHECK(support::same(planners::la_mean{}(request), oracle::la_mean(request)));
    }
}

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

TEST_CASE("planners::flat_tree: the root sends to all others in ascending rank") {
    const tree_plan plan = planners::flat_tree{}(support::eight_nodes(2));
    CHECK(support::drawn(plan.edges) == "2>0 2>1 2>3 2>4 2>5 2>6 2>7");
    CHECK(support::drawn(many_to_one(planners::flat_tree{}, support::eight_nodes(2)).edges) ==
          "2>7 2>6 2>5 2>4 2>3 2>1 2>0");
}

TEST_CASE("planners::flat_tree: plans among some ranks only") {
    const rank_t some[] = {1, 3, 6};
    const tree_plan::request request = support::eight_nodes(0);
    CHECK(support::drawn(planners::flat_tree::group_edges(request, owned_array<rank_t>(some), 3)) == "3>1 3>6");
}

namespace {

/// Every rank receives from the next rank in the list up to the head, and from the previous one beyond it.
struct lines : planners::detail::group_planner<lines> {
    static constexpr const char* name = "lines";
    static constexpr const char* source = "";
    static constexpr owned_array<trees::tree_edge> group_edges(const tree_plan::request&,
                                                               const owned_array<rank_t>& ranks, rank_t head) {
        owned_array<trees::tree_edge> edges(ranks.size() - 1);
        rank_t at = 0, n = 0;
        while (ranks[at] != head) ++at;
        for (rank_t i = at; i > 0; --i) edges[n++] = {ranks[i], ranks[i - 1]};
        for (rank_t i = at; i + 1 < ranks.size(); ++i) edges[n++] = {ranks[i], ranks[i + 1]};
        return edges;
    }
};
static_assert(planner<lines>);

}  // namespace

TEST_CASE("group_planner: plans among all ranks from the root, and times that plan") {
    const tree_plan::request request = support::eight_nodes(2);
    const tree_plan plan = lines{}(request);
    CHECK(support::drawn(plan.edges) == "2>1 1>0 2>3 3>4 4>5 5>6 6>7");
    CHECK(plan.ready == detail::ready_times(plan.edges, request.cost, request.bytes, false));
}

TEST_CASE("group_planner: a wrong request does not reach the planner") {
    const tree_plan plan = lines{}(support::eight_nodes(8));
    CHECK(plan.error);
    CHECK(plan.edges.empty());
}
