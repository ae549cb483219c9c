#include "collsched/simulate/detail/remaining_times.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"

using namespace collsched;

using detail::message_routes;
using detail::remaining_times;
using kind = execution_graph::kind;

namespace {

constexpr picoseconds latency = 2000, flow = 80'000, work = 500;  // of a message of 1000 bytes, and of each vertex

contention_model nodes(rank_t p) {
    const std::vector<lob_model::link_cost> own(static_cast<std::size_t>(p), {latency / 2, 80'000}), uplinks(1);
    return {.net = tree_network(topology::switch_tree::flat(p), own, uplinks),
            .placement = topology::placement::block(p, p)};
}
std::int64_t first_send(const execution_graph& graph) {
    std::int64_t i = 0;
    while (graph[i].kind != kind::send) ++i;
    return i;
}
/// Returns whether a run must end after `limit` when an event of its first send happens at `time`.
template <class Event>
bool is_beyond(const execution_graph& graph, picoseconds limit, Event event) {
    const contention_model model = nodes(graph.ranks());
    const message_routes routes(graph, model);
    const auto busy = [&](std::int64_t i) { return graph[i].kind == kind::join ? 0.0 : static_cast<double>(work); };
    remaining_times remaining(graph, model, routes, limit, busy, [](std::int64_t) { return false; });
    CHECK_FALSE(remaining.is_beyond());
    event(remaining, first_send(graph));
    return remaining.is_beyond();
}

}  // namespace

TEST_CASE("remaining_times: messages that depend on each other follow each other") {
    const execution_graph graph(allgather::ring{.ranks = 3, .block = 1000});
    const picoseconds round = work + latency + flow + work;
    const auto begins = [](picoseconds time) {
        return [=](remaining_times& run, std::int64_t send) { run.begin_work(send, time); };
    };
    CHECK_FALSE(is_beyond(graph, 2 * round + 100, begins(100)));
    CHECK(is_beyond(graph, 2 * round + 90, begins(100)));
    const auto arrives = [&](picoseconds time) {
        return [=](remaining_times& run, std::int64_t send) { run.arrive(send, time); };
    };
    CHECK_FALSE(is_beyond(graph, round + work + 100, arrives(100)));
    CHECK(is_beyond(graph, round + work + 90, arrives(100)));
}

TEST_CASE("remaining_times: the messages that have not begun occupy links and processors one after another") {
    const rank_t p = 9;
    const execution_graph graph(alltoall::linear{.ranks = p, .block = 1000});
    const auto flows = [](picoseconds time) {
        return [=](remaining_times& run, std::int64_t send) { run.begin_flow(send, time); };
    };
    CHECK_FALSE(is_beyond(graph, 8 * flow + 1000, flows(1000)));
    CHECK(is_beyond(graph, 8 * flow - 100, flows(1000)));
    // The first flow is not counted any more, though its bytes are still on the way.
    const auto twice = [](picoseconds time) {
        return [=](remaining_times& run, std::int64_t send) {
            run.begin_flow(send, 0);
            run.begin_flow(send, time);
        };
    };
    CHECK_FALSE(is_beyond(graph, 8 * flow, twice(flow - 1000)));
    CHECK(is_beyond(graph, 8 * flow, twice(flow + 1000)));
    const picoseconds small = 17 * work;  // each rank sends 8 messages, receives 8, and copies its own block
    const execution_graph empty(alltoall::linear{.ranks = p, .block = 1});
    const auto begins = [](picoseconds time) {
        return [=](remaining_times& run, std::int64_t send) { run.begin_work(send, time); };
    };
    CHECK_FALSE(is_beyond(empty, small + 1000, begins(1000)));
    CHECK(is_beyond(empty, small + 900, begins(1000)));
}
