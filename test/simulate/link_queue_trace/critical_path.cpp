#include "collsched/simulate/link_queue_trace.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/simulate/link_queue_trace.hpp"
#include "collsched/topology/networks.hpp"

using namespace collsched;

TEST_CASE("link_queue_walk: a message that waits in the middle of its path is preceded by another send") {
    // The messages from 1 to 2, from 1 to 0 by way of 2, and from 0 to 2 by way of 1 follow each other on a slow link.
    const topology::network::link links[] = {{0, 1, 1'000'000'000}, {1, 2, 1'000'000}, {2, 0, 1'000'000'000}};
    const link_queue_model model{topology::network(3, 0, links), {}, false};
    const alltoall::linear x{.ranks = 3, .block = 10};
    const execution_graph graph(x);
    const simulation made = trace(x, graph, model);
    CHECK(made.completion == 30'000'000);
    const std::vector<simulation::critical_step> path = critical_path(graph, model, made);
    using delay = simulation::critical_step::delay;
    std::vector<rank_t> senders;
    for (const simulation::critical_step& step : path)
        if (graph[step.node].kind == execution_graph::kind::send) senders.push_back(graph[step.node].rank);
    CHECK(senders == std::vector<rank_t>{1, 1, 0});
    REQUIRE(path.size() == 4);
    CHECK(path[0].cause == delay::start);
    CHECK(path[1].cause == delay::link);
    CHECK(path[2].cause == delay::link);
    CHECK(path[3].cause == delay::message);
    CHECK(made.activities[path[3].node].end == 30'000'000);
}
