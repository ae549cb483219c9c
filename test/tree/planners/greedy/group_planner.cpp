#include "collsched/tree/planners/greedy.hpp"

#include <doctest/doctest.h>

#include "support/random_clusters.hpp"

using namespace collsched;

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
