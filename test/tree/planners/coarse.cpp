#include "collsched/tree/planners/coarse.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/random_clusters.hpp"

using namespace collsched;

TEST_CASE("planners::coarse: eight nodes are planned by hand") {
    CHECK(support::drawn(planners::magpie{}(support::eight_nodes(1)).edges) == "1>5 1>0 1>3 1>2 3>4 5>7 5>6");
    CHECK(support::drawn(planners::mpich_g{}(support::eight_nodes(1)).edges) == "1>5 1>2 5>7 1>0 2>4 2>3 5>6");
    // In the first subnet fastest completing edges are best, in the second the binomial tree.
    CHECK(support::drawn(planners::eco{}(support::eight_nodes(1)).edges) == "1>5 1>0 1>2 0>4 1>3 5>7 5>6");
    CHECK(support::drawn(planners::magpie{}(support::eight_nodes(7)).edges) == "7>0 0>4 0>2 0>1 2>3 7>6 7>5");
    CHECK(support::drawn(planners::mpich_g{}(support::eight_nodes(7)).edges) == "7>0 0>2 7>5 0>1 2>4 2>3 5>6");
}

TEST_CASE("planners::coarse: switches above all nodes are skipped, and nodes on the top are clusters by themselves") {
    const rank_t parents[] = {0, 1, 2, 2}, homes[] = {3, 2, 3, 4, 4, 2};
    tree_plan::request request{topology::switch_tree(parents, homes), support::random_request(0, 6).cost, 1, 2};
    request.root = 2;
    CHECK(support::drawn(planners::magpie{}(request).edges) == "2>1 2>3 2>5 2>0 3>4");
    CHECK(support::drawn(planners::mpich_g{}(request).edges) == "2>1 2>3 2>5 2>0 3>4");
    request.root = 5;
    CHECK(support::drawn(planners::magpie{}(request).edges) == "5>0 5>1 5>3 0>2 3>4");
}

TEST_CASE("planners::coarse: on one switch every node is a cluster") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        tree_plan::request request = support::random_request(seed, 12);
        request.switches = topology::switch_tree::flat(12);
        CHECK(planners::magpie{}(request) == planners::flat_tree{}(request));
        CHECK(planners::mpich_g{}(request) == planners::flat_tree{}(request));
        CHECK(planners::eco{}(request) == planners::fcef{}(request));
    }
}

namespace {

/// The edges of a plan that leave no (or, outside, that leave every) cluster below the root.
std::vector<trees::tree_edge> part(const tree_plan& plan, const tree_plan::request& request, bool outside) {
    std::vector<trees::tree_edge> some;
    for (const trees::tree_edge& e : plan.edges)
        if ((request.switches.home(e.parent) != request.switches.home(e.child)) == outside) some.push_back(e);
    return some;
}

picoseconds last_ready(std::span<const trees::tree_edge> edges, const tree_plan::request& request) {
    picoseconds last = 0;
    for (const picoseconds t : detail::ready_times(edges, request.cost, request.bytes, false)) last = std::max(last, t);
    return last;
}

}  // namespace

TEST_CASE("planners::coarse: eco gives each subnet the best of three trees, independently of the others") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        tree_plan::request request = support::random_request(seed, 24);
        const rank_t parents[] = {0, 0, 0};
        owned_array<rank_t> homes(24);
        for (rank_t r = 0; r < 24; ++r) homes[r] = 1 + r % 3;
        request.switches = topology::switch_tree(parents, homes);
        const tree_plan plan = planners::eco{}(request);
        CHECK(part(plan, request, true).size() == 2);
        const std::vector<trees::tree_edge> inside = part(plan, request, false);
        for (rank_t subnet = 0; subnet < 3; ++subnet) {
            owned_array<rank_t> ranks(8);
            std::vector<trees::tree_edge> own;
            for (rank_t i = 0; i < 8; ++i) ranks[i] = subnet + 3 * i;
            for (const trees::tree_edge& e : inside)
                if (e.child % 3 == subnet) own.push_back(e);
            const rank_t head = own.front().parent;
            CHECK(head == (request.root % 3 == subnet ? request.root : subnet));
            const picoseconds best = last_ready(own, request);
            CHECK(best <= last_ready(planners::flat_tree::group_edges(request, ranks, head), request));
            CHECK(best <= last_ready(planners::binomial::group_edges(request, ranks, head), request));
            CHECK(best <= last_ready(planners::fcef::group_edges(request, ranks, head), request));
        }
    }
}

TEST_CASE("planners::coarse: a message enters a switch once") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const tree_plan::request request = support::random_request(seed, static_cast<rank_t>(1 + seed % 40));
        const tree_plan plan = planners::mpich_g{}(request);
        REQUIRE_FALSE(plan.tree("mpich-g").check(request.ranks()));
        std::vector<int> entered(static_cast<std::size_t>(request.switches.switches()));
        for (const auto& [from, to] : plan.edges)
            for (rank_t e = request.switches.home(to); e != request.switches.common_switch(from, to);
                 e = request.switches.parent(e))
                ++entered[static_cast<std::size_t>(e)];
        for (const int times : entered) CHECK(times <= 1);
    }
}
