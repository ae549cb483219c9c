#include "collsched/tree/detail/sink_flows.hpp"

#include <doctest/doctest.h>

#include <vector>

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
