#include "collsched/simulate/detail/message_routes.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/alltoall/direct.hpp"

using namespace collsched;

using detail::message_routes;

namespace {

contention_model three_nodes() {
    const std::vector<lob_model::link_cost> own = {{1000, 80'000}, {2000, 80'000}, {3000, 160'000}}, uplinks(1);
    return {.net = tree_network(topology::switch_tree::flat(3), own, uplinks),
            .placement = topology::placement::block(3, 3)};
}

}  // namespace

TEST_CASE("message_routes: pairs have the routes and latencies of their nodes, and by default the same weight") {
    const contention_model model = three_nodes();
    const execution_graph graph(alltoall::linear{.ranks = 3, .block = 8});
    const message_routes routes(graph, model);
    for (const execution_graph::node& n : graph.nodes()) {
        if (n.kind != execution_graph::kind::send) continue;
        const rank_t to = graph[n.peer].rank;
        CHECK(routes[n.pair].path.links == model.net.route(n.rank, to));
        CHECK(routes[n.pair].path.back.empty());
        CHECK(routes[n.pair].latency == 1000 * (n.rank + 1 + to + 1));
        CHECK(routes[n.pair].path.weight == 1);
        CHECK(routes[n.pair].path.limit == 0);
    }
}

TEST_CASE("message_routes: weights are inversely proportional to latency and to the time of share_bytes") {
    contention_model model = three_nodes();
    model.latency_weighted = 1;
    model.reverse_permille = 50;
    const execution_graph graph(alltoall::linear{.ranks = 3, .block = 8});
    const auto weight = [&](const message_routes& routes, rank_t from, rank_t to) {
        for (const execution_graph::node& n : graph.nodes())
            if (n.kind == execution_graph::kind::send && n.rank == from && graph[n.peer].rank == to) {
                CHECK(routes[n.pair].path.back == model.net.route(to, from));
                return static_cast<double>(routes[n.pair].path.weight);
            }
        return 0.0;
    };
    const message_routes by_latency(graph, model);
    CHECK(weight(by_latency, 0, 1) / weight(by_latency, 1, 2) == doctest::Approx(5.0 / 3));
    model.share_bytes = 100;  // 8 ns per link of nodes 0 and 1, 16 ns of node 2
    const message_routes by_share(graph, model);
    CHECK(weight(by_share, 0, 1) / weight(by_share, 1, 2) == doctest::Approx((5.0 + 24) / (3 + 16)));
}

TEST_CASE("message_routes: latencies are those of the route times the factor of the size") {
    contention_model model = three_nodes();
    model.size_factors = owned_array<contention_model::size_factor>(1);
    model.size_factors[0] = {100, 1'500'000, 1'000'000};
    const execution_graph graph(alltoall::linear{.ranks = 3, .block = 8});
    const message_routes routes(graph, model);
    message_routes::route route;
    route.latency = 3'000'001;
    CHECK(routes.latency(route, 100).value() == 3'000'001);
    CHECK(routes.latency(route, 101).value() == 4'500'001);
    route.latency = std::numeric_limits<picoseconds>::max();
    CHECK(!routes.latency(route, 101).ok());
}

using collsched::detail::message_queues;

TEST_CASE("message_queues: sends and receives start in turns, a send first, and alone when the others are out") {
    message_queues queues;
    for (const int i : {10, 11, 12}) queues.add_receive(i);
    for (const int i : {20, 21}) queues.add_send(i);
    for (const int i : {20, 10, 21, 11, 12}) CHECK(queues.take_message() == i);
    CHECK(queues.take_message() == message_queues::nothing);
    queues.add_send(22);
    queues.add_receive(13);
    CHECK(queues.take_message() == 13);  // the last turn was that of a send
    queues.restart_turns();
    queues.add_receive(14);
    CHECK(queues.take_message() == 22);
}

TEST_CASE("message_queues: local work keeps its order and takes a turn") {
    message_queues queues;
    queues.add_local(1);
    queues.add_local(2);
    queues.add_send(3);
    queues.add_receive(4);
    CHECK(queues.take_local() == 1);
    CHECK(queues.take_message() == 4);
    CHECK(queues.take_local() == 2);
    CHECK(queues.take_local() == message_queues::nothing);
}

TEST_CASE("message_queues: buffered sends are complete first, and the last request fills a gap") {
    message_queues queues;
    const auto all = [](std::int64_t) { return true; };
    const auto none = [](std::int64_t) { return false; };
    queues.add_request(1, false);
    queues.add_request(2, true);
    queues.add_request(3, false);
    queues.add_request(4, false);
    CHECK(queues.take_complete(none) == 2);
    CHECK(queues.take_complete(none) == message_queues::nothing);
    CHECK(queues.take_complete(all) == 1);
    CHECK(queues.take_complete(all) == 3);  // 4 moved to the second position, 3 to the first
    CHECK(queues.take_complete(all) == 4);
    CHECK(queues.take_complete(all) == message_queues::nothing);
}
