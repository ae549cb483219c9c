#include "collsched/tree/detail/sink_flows.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/layouts.hpp"

using namespace collsched;
using namespace trees::detail;

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
