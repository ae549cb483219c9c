#include "collsched/tree/planners/optimal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/tree/planners/all.hpp"
#include "support/brief.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;

namespace {

/// The smallest completion of all sequences of sends; many-to-one, of all such sequences run backwards.
picoseconds brute_force(const tree_plan::request& request, std::vector<trees::tree_edge>& edges, std::vector<bool>& has,
                        bool many_to_one) {
    picoseconds best = INT64_MAX;
    for (rank_t i = 0; i < request.ranks(); ++i)
        for (rank_t j = 0; j < request.ranks(); ++j) {
            if (!has[static_cast<std::size_t>(i)] || has[static_cast<std::size_t>(j)]) continue;
            edges.push_back({i, j});
            has[static_cast<std::size_t>(j)] = true;
            best = std::min(best, brute_force(request, edges, has, many_to_one));
            has[static_cast<std::size_t>(j)] = false;
            edges.pop_back();
        }
    if (best < INT64_MAX) return best;
    best = 0;
    std::vector<trees::tree_edge> sequence = edges;
    if (many_to_one) std::reverse(sequence.begin(), sequence.end());
    for (const picoseconds t : detail::ready_times(sequence, request.cost, request.bytes, many_to_one))
        best = std::max(best, t);
    return best;
}

}  // namespace

TEST_CASE("planners::optimal: equals the best of all sequences") {
    for (std::uint64_t seed = 0; seed < 600; seed += support::one_of()) {
        const tree_plan::request request =
            support::random_request(seed, seed % 15 == 0 ? 6 : static_cast<rank_t>(1 + seed % 5));
        std::vector<trees::tree_edge> edges;
        std::vector<bool> has(static_cast<std::size_t>(request.ranks()));
        has[static_cast<std::size_t>(request.root)] = true;
        CAPTURE(seed);
        CHECK(planners::optimal{}(request).completion == brute_force(request, edges, has, false));
        const tree_plan back = many_to_one(planners::optimal{}, request);
        CHECK(back.many_to_one);
        CHECK(back.completion == brute_force(request, edges, has, true));
        CHECK(!back.tree("optimal").check(request.ranks()));
    }
}

TEST_CASE("planners::optimal: no planner is better") {
    int better = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const tree_plan::request request = support::random_request(seed, static_cast<rank_t>(2 + seed % 7));
        const picoseconds least = planners::optimal{}(request).completion;
        const picoseconds least_back = many_to_one(planners::optimal{}, request).completion;
        for (const planners::planner_entry& entry : planners::all::entries) {
            CHECK(least <= entry.plan(request).completion);
            CHECK(least_back <= entry.plan_back(request).completion);
        }
        better += least < planners::refined{}(request).completion ? 1 : 0;
    }
    CHECK(better > 0);
}

TEST_CASE("planners::optimal: eight ranks are accepted, nine are not") {
    CHECK(planners::optimal{}(support::eight_nodes(1)).completion == 144);
    const tree_plan::request nine = support::random_request(1, 9);
    const tree_plan plan = planners::optimal{}(nine);
    CHECK(plan.edges.empty());
    CHECK(plan.root == nine.root);
    CHECK(plan.error == argument_error{"ranks", 9, "at most 8"});
    CHECK(std::string(many_to_one(planners::optimal{}, nine).error.text().c_str()) ==
          "ranks: got 9, expected at most 8");
}

TEST_CASE("planners::optimal: edges are in the order in which they happen") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const tree_plan::request request = support::random_request(seed, static_cast<rank_t>(2 + seed % 7));
        std::vector<picoseconds> ready(static_cast<std::size_t>(request.ranks()));
        picoseconds last = 0;
        for (const auto& [from, to] : planners::optimal{}(request).edges) {
            picoseconds& sender = ready[static_cast<std::size_t>(from)];
            CHECK(sender >= last);
            last = sender;
            ready[static_cast<std::size_t>(to)] = sender + request.duration(from, to);
            sender += request.busy(from, to);
        }
        ready.assign(ready.size(), 0);
        last = 0;
        for (const auto& [to, from] : many_to_one(planners::optimal{}, request).edges) {
            picoseconds& receiver = ready[static_cast<std::size_t>(to)];
            receiver = std::max(receiver + request.cost.overhead(to),
                                ready[static_cast<std::size_t>(from)] + request.duration(from, to));
            CHECK(receiver >= last);
            last = receiver;
        }
    }
}

TEST_CASE("planners::optimal: alike nodes, where many sequences tie") {
    for (const picoseconds o : {0, 1, 5})
        for (const picoseconds L : {0, 1, 7}) {
            const std::vector<picoseconds> overheads(8, o), latencies(64, L);
            const std::vector<std::int64_t> rates(64, 1);
            const tree_plan::request request{topology::switch_tree::flat(8), lob_model(overheads, latencies, rates),
                                             1001, 3};
            CHECK(planners::optimal{}(request).completion == planners::fcef{}(request).completion);
        }
}
