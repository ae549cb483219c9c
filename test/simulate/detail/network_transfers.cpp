#include "collsched/simulate/detail/network_transfers.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/alltoall/bruck.hpp"
#include "collsched/topology/direct_networks.hpp"

using namespace collsched;
using collsched::detail::network_transfers;

TEST_CASE("network_transfers: one per edge between ranks, and those of a message have its bytes") {
    const link_queue_model model{topology::networks::hypercube(3, {.bandwidth = 1}), {}, false};
    const auto check = [&](const auto& x, binding how) {
        const execution_graph graph(x, how);
        const network_transfers transfers(x, graph, model, how);
        REQUIRE(!transfers.check());
        std::int64_t messages = 0;
        for (const edge& e : edges(x)) messages += e.is_local() ? 0 : 1;
        CHECK(std::ssize(transfers.all()) == messages);
        for (std::int64_t i = 0; i < std::ssize(graph.nodes()); ++i) {
            bytes_t bytes = 0;
            for (std::int64_t t = transfers.first(i); t < transfers.first(i) + transfers.count(i); ++t) {
                const network_transfers::transfer& one = transfers.all()[static_cast<std::size_t>(t)];
                CHECK(one.send == i);
                bytes += one.bytes;
                const rank_t apart = graph[i].rank ^ graph[graph[i].peer].rank;
                CHECK(transfers.hops(t) == (apart & 1) + (apart >> 1 & 1) + (apart >> 2 & 1));
                for (std::int32_t hop = 0; hop < transfers.hops(t); ++hop) CHECK(transfers.links(t, hop).size() == 1);
            }
            if (graph[i].kind == execution_graph::kind::send) CHECK(bytes == graph[i].bytes);
            else CHECK(transfers.count(i) == 0);
        }
    };
    for (const binding how : {binding::separate, binding::in_place})
        check(allgather::bruck{.ranks = 8, .block = 5}, how);
    check(alltoall::bruck{.ranks = 8, .block = 5}, binding::separate);
}
