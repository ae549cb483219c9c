#include "collsched/simulate/trace.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/cost/loggp.hpp"

using namespace collsched;

TEST_CASE("vertex_order: the last vertex, and a predecessor that made a vertex ready") {
    const execution_graph graph(allgather::ring{.ranks = 3, .block = 8});
    const simulation made = trace(graph, loggp_model{.latency_ps = 1000, .overhead_ps = 100});
    const detail::vertex_order order(graph, made.activities);
    REQUIRE(order.last() >= 0);
    CHECK(made.activities[order.last()].end == made.completion);
    std::int64_t waiting = 0;
    for (std::int64_t i = 0; i < std::ssize(graph.nodes()); ++i) {
        const std::int64_t before = order.before(i);
        if (graph[i].waits_for == 0) CHECK(before == -1);
        if (before < 0) continue;
        ++waiting;
        CHECK(graph[before].rank == graph[i].rank);
        CHECK(made.activities[before].end == made.activities[i].ready);
    }
    CHECK(waiting > 0);
}

TEST_CASE("vertex_order: steps leave out joins") {
    using delay = simulation::critical_step::delay;
    const execution_graph graph(allgather::ring{.ranks = 3, .block = 8});
    const simulation made = trace(graph, loggp_model{});
    const detail::vertex_order order(graph, made.activities);
    std::vector<simulation::critical_step> steps;
    order.add_step(steps, 0, delay::order);
    CHECK(steps == std::vector<simulation::critical_step>{{0, delay::order}});
    CHECK(detail::vertex_order(execution_graph(allgather::ring{.ranks = 1, .block = 0}), {}).last() == -1);
}

TEST_CASE("vertex_order: a join after which a path begins gives the step before it in the list its cause") {
    using delay = simulation::critical_step::delay;
    const execution_graph graph(allgather::ring{.ranks = 3, .block = 8}, binding::separate, pacing{1});
    std::int64_t join = 0;
    while (graph[join].kind != execution_graph::kind::join) ++join;
    const simulation made = trace(graph, loggp_model{});
    const detail::vertex_order order(graph, made.activities);
    std::vector<simulation::critical_step> steps;
    order.add_step(steps, join, delay::start);
    CHECK(steps.empty());
    order.add_step(steps, 0, delay::message);
    order.add_step(steps, join, delay::order);
    CHECK(steps == std::vector<simulation::critical_step>{{0, delay::message}});
    order.add_step(steps, join, delay::start);
    CHECK(steps == std::vector<simulation::critical_step>{{0, delay::start}});
}
