#include "collsched/tree/detail/trim_switches.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using topology::detail::flow_graph;
using trees::detail::trim_switches;

TEST_CASE("trim_switches: links out of a switch have no more capacity than those into it") {
    flow_graph graph(5);
    graph.add(0, 3, 7), graph.add(3, 1, 9), graph.add(3, 4, 5), graph.add(4, 2, 6);
    CHECK(trim_switches(graph, 3));
    CHECK(graph[0].capacity == 7);
    CHECK(graph[1].capacity + graph[2].capacity == 7);
    CHECK(graph[3].capacity == graph[2].capacity);
    CHECK_FALSE(trim_switches(graph, 3));
}
