#include "collsched/topology/detail/max_flow.hpp"

#include <doctest/doctest.h>

#include <vector>

using collsched::topology::detail::flow_graph;
using collsched::topology::detail::flow_search;

TEST_CASE("max_flow: a flow is rerouted over an arc that it used before") {
    flow_graph graph(4);
    graph.add(0, 1, 1), graph.add(0, 2, 1), graph.add(1, 2, 1), graph.add(1, 3, 1), graph.add(2, 3, 1);
    std::vector<std::int64_t> flow{1, 0, 1, 0, 1};
    flow_search search;
    CHECK(search.push(graph, flow.data(), 0, 3, 5) == 1);
    CHECK(flow == std::vector<std::int64_t>{1, 1, 0, 1, 1});
    CHECK(search.reached(0));
    CHECK_FALSE(search.reached(1));
    CHECK_FALSE(search.reached(3));
}

TEST_CASE("max_flow: no more than the limit is added") {
    flow_graph graph(3);
    graph.add(0, 1, 7), graph.add(1, 2, 9);
    std::vector<std::int64_t> flow(2);
    flow_search search;
    CHECK(search.push(graph, flow.data(), 0, 2, 3) == 3);
    CHECK(search.push(graph, flow.data(), 0, 2, 0) == 0);
    graph[0].capacity = 20;
    CHECK(search.push(graph, flow.data(), 0, 2, 99) == 6);
    CHECK(flow == std::vector<std::int64_t>{9, 9});
    CHECK(search.reached(1));
}
