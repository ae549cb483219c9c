#include "collsched/tree/detail/sink_flows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "support/layouts.hpp"

using namespace collsched;
using namespace trees::detail;

TEST_CASE("sink_flows: a supply that exceeds the capacities") {
    flow_graph graph(2);
    graph.add(0, 1, 2), graph.add(1, 0, 3);
    const std::vector<rank_t> roots{0, 1};
    CHECK(sink_flows(graph, 2).supply_roots(roots, 2));
    CHECK_FALSE(sink_flows(graph, 2).supply_roots(roots, 3));
}

TEST_CASE("sink_flows: as much is split off as the flows permit") {
    // 0 -> 2 -> 1, 0 -> 1, and 0 -> 2 -> 3: a sink 3 is not there, so all of arc (2,1) can be moved, and no more.
    flow_graph graph(3);
    graph.add(0, 2, 5), graph.add(2, 1, 3), graph.add(0, 1, 1);
    sink_flows flows(graph, 2);
    const std::vector<rank_t> roots{0};
    CHECK(flows.supply_roots(roots, 4));
    CHECK(flows.split(0, 1, 2, 3) == 3);
    CHECK(flows.capacity(0) == 2);
    CHECK(flows.capacity(1) == 0);
    CHECK(flows.capacity(2) == 4);
    CHECK(flows[1][2] == 4);
    CHECK(flows[1][0] == 0);
}

TEST_CASE("sink_flows: a split that would starve a sink is limited, and the cut is found") {
    // The loop 0 -> 1 -> 0 cannot be dropped: rank 1 needs 2 of the 3 units.
    flow_graph graph(2);
    graph.add(0, 1, 3), graph.add(1, 0, 3);
    sink_flows flows(graph, 2);
    const std::vector<rank_t> roots{0};
    CHECK(flows.supply_roots(roots, 2));
    CHECK(flows.split(0, 1, -1, 3) == 1);
    CHECK(flows.capacity(0) == 2);
    CHECK(flows.split(0, 1, -1, 2) == 0);
    CHECK(flows.reached(0));
    CHECK_FALSE(flows.reached(1));
}

TEST_CASE("sink_flows: splits keep all flows within the capacities") {
    int limited = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        collsched::detail::splitmix64 random(seed);
        const rank_t ranks = 5, vertices = 8;
        flow_graph graph(vertices);
        for (rank_t v = 0; v < vertices; ++v)
            for (std::int64_t n = 0; n < 3; ++n) {
                const rank_t other = (v + random.between(1, vertices - 1)) % vertices;
                graph.add(v, other, random.between(1, 9)), graph.add(other, v, random.between(1, 9));
            }
        const std::vector<rank_t> roots{0, 1, 2, 3, 4};
        std::int64_t supply = 1;  // the largest one, so that flows limit the splits
        while (sink_flows(graph, ranks).supply_roots(roots, supply + 1)) ++supply;
        sink_flows flows(graph, ranks);
        if (!flows.supply_roots(roots, supply)) continue;
        for (std::int64_t n = 0; n < 400; ++n) {
            const std::int64_t in = random.between(0, flows.graph().arcs() - 1),
                               out = random.between(0, flows.graph().arcs() - 1);
            const rank_t from = flows.graph()[in].from, to = flows.graph()[out].to;
            const std::int64_t limit = std::min(flows.capacity(in), flows.capacity(out));
            if (flows.graph()[in].to != flows.graph()[out].from || limit == 0) continue;
            const std::int64_t moved = flows.split(in, out, from == to ? -1 : flows.add_arc(from, to, 0), limit);
            limited += moved < limit ? 1 : 0;
            bool within = moved >= 0 && moved <= limit;
            for (rank_t sink = 0; sink < ranks; ++sink)
                for (std::int64_t i = 0; i < flows.graph().arcs(); ++i)
                    within = within && 0 <= flows[sink][i] && flows[sink][i] <= flows.capacity(i);
            REQUIRE(within);
        }
    }
    CHECK(limited > 100);
}

TEST_CASE("sink_flows: capacity is dropped down to that which the flows need") {
    flow_graph graph(2);
    graph.add(0, 1, 3), graph.add(0, 1, 2);
    sink_flows flows(graph, 2);
    const std::vector<rank_t> roots{0};
    CHECK(flows.supply_roots(roots, 4));
    CHECK(flows.drop(0, 3) == 1);
    CHECK(flows.capacity(0) == 2);
    CHECK(flows[1][0] == 2);
    CHECK(flows[1][1] == 2);
}

TEST_CASE("sink_flows: a flow is cancelled back to its sink") {
    flow_graph graph(3);
    graph.add(0, 1, 4), graph.add(1, 2, 4);
    sink_flows flows(graph, 3);
    flows[2][0] = 3, flows[2][1] = 3;
    flows.cancel(2, 0, 2);
    CHECK(flows[2][0] == 1);
    CHECK(flows[2][1] == 1);
    flows.cancel(2, 2, 1);
    CHECK(flows[2][1] == 1);
}

TEST_CASE("tree_rates: exact and for a number of trees") {
    // A ring of three ranks, 2 one way and 3 the other: 5/2 enters a rank per root.
    capacity_graph net{3, 1, flow_graph(3)};
    for (rank_t r = 0; r < 3; ++r) net.graph.add(r, (r + 1) % 3, 2), net.graph.add((r + 1) % 3, r, 3);
    const std::vector<rank_t> roots{0, 1, 2};
    const rate_choice choice(net, roots, fraction(5, 2));
    const tree_rates exact = choice.exact();
    CHECK(exact.total == 5);
    CHECK(exact.scale == fraction(2));
    CHECK(exact.graph[1].capacity == 6);
    // One tree per root: capacities 1 and 1 suffice, or 0 and 2.
    const tree_rates one = choice.fixed(1);
    CHECK(one.total == 1);
    CHECK(one.scale == fraction(1, 2));
    CHECK(one.graph[0].capacity == 1);
    CHECK(one.graph[1].capacity == 1);
    CHECK(choice.fixed(5).scale == exact.scale);
}

TEST_CASE("tree_rates: the scale for a number of trees is the least that suffices") {
    support::random_source random(7);
    for (int drawn = 0; drawn < 40; ++drawn) {
        const rank_t p = 3 + random.below(3);
        capacity_graph net{p, 1, flow_graph(p)};
        for (rank_t r = 0; r < p; ++r)
            net.graph.add(r, (r + 1) % p, 1 + random.below(9)), net.graph.add((r + 1) % p, r, 1 + random.below(9));
        std::vector<rank_t> roots{0, p - 1};
        const std::int64_t total = 1 + random.below(6);
        const auto suffices = [&](std::int64_t j, std::int64_t b) {
            flow_graph graph(p);
            for (std::int64_t i = 0; i < net.graph.arcs(); ++i)
                graph.add(net.graph[i].from, net.graph[i].to, net.graph[i].capacity * j / b);
            return sink_flows(graph, p).supply_roots(roots, total);
        };
        fraction least(1000);
        for (std::int64_t i = 0; i < net.graph.arcs(); ++i)
            for (std::int64_t j = 1, b = net.graph[i].capacity; fraction(j, b) < least; ++j)
                if (suffices(j, b)) least = fraction(j, b);
        CAPTURE(drawn);
        CHECK(rate_choice(net, roots, fraction(100)).fixed(total).scale == least);
    }
}

TEST_CASE("tree_rates: capacities or trees whose sum reaches 2^60 are reported") {
    constexpr std::int64_t large = std::int64_t{1} << 58;
    capacity_graph net{2, 1, flow_graph(2)};
    net.graph.add(0, 1, large), net.graph.add(1, 0, large);
    const std::vector<rank_t> roots{0, 1};
    const char* expected = "capacities whose sum, in units of a tree, is below 2^60";
    // One tree of 2^58 per root: 2 trees and 2 capacities.
    CHECK(rate_choice(net, roots, fraction(large)).exact().error == argument_error{"bandwidth", large, expected});
    CHECK(rate_choice(net, roots, fraction(large)).exact().total == 0);
    CHECK(rate_choice(net, roots, fraction(large - 1)).exact().error == argument_error{});
    const rate_choice choice(net, roots, fraction(large));
    for (const std::int64_t total : {INT64_MAX, std::int64_t{1} << 60})
        CHECK(choice.fixed(total).error == argument_error{"bandwidth", large, expected});
    CHECK(choice.fixed(1).scale == fraction(1, large));
}
