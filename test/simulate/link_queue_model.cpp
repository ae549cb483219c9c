#include "collsched/simulate/link_queue_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/alltoall/bruck.hpp"
#include "collsched/topology/networks.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

TEST_CASE("link_queue_model: has the ranks and the errors of its network") {
    const link_queue_model good{topology::networks::ring(5, {.bandwidth = 100}), {}, false};
    CHECK(good.ranks() == 5);
    CHECK(!good.check());
    CHECK(std::string(link_queue_model{}.check().argument) == "ranks");
    const link_queue_model wrong{topology::network(argument_error{"links", 3, "other links"}), {}, false};
    CHECK(std::string(wrong.check().argument) == "links");
}

using collsched::detail::network_paths;
using topology::network;

namespace {

std::vector<rank_t> path(network_paths& paths, rank_t from, rank_t to) {
    std::vector<rank_t> found;
    paths.append_shortest(from, to, found);
    return found;
}

}  // namespace

TEST_CASE("network_paths: shortest paths on a ring lead the shorter way round") {
    const network ring = topology::networks::ring(7, {.bandwidth = 1});
    network_paths paths(ring);
    for (rank_t from = 0; from < 7; ++from)
        for (rank_t to = 0; to < 7; ++to) {
            if (from == to) continue;
            const std::vector<rank_t> found = path(paths, from, to);
            const rank_t apart = std::min((to - from + 7) % 7, (from - to + 7) % 7);
            CHECK(std::ssize(found) == apart + 1);
            CHECK(found.front() == from);
            CHECK(found.back() == to);
            for (std::size_t i = 1; i < found.size(); ++i) {
                int links = 0;
                paths.for_each_link(found[i - 1], found[i], [&](std::int32_t) { ++links; });
                CHECK(links == 1);
            }
        }
}

TEST_CASE("network_paths: through switches rather than through a rank, and nothing without a path") {
    // 0 - 1 - 2 directly, and 0 - s3 - s4 - s5 - 2; rank 1 forwards only to what no switch reaches.
    const network::link links[] = {{0, 1}, {1, 2}, {0, 4}, {4, 5}, {5, 6}, {6, 2}, {2, 3}};
    const network net(4, 3, links);
    network_paths paths(net);
    CHECK(path(paths, 0, 2) == std::vector<rank_t>{0, 4, 5, 6, 2});
    CHECK(path(paths, 1, 3) == std::vector<rank_t>{1, 2, 3});
    CHECK(path(paths, 3, 0).empty());
}

TEST_CASE("network_paths: pairs are spread over equal paths") {
    const network net = topology::networks::leaf_spine({.leaves = 2, .ranks_per_leaf = 8, .spines = 4});
    network_paths paths(net);
    std::set<rank_t> spines;
    for (rank_t to = 8; to < 16; ++to) spines.insert(path(paths, 0, to)[2]);
    CHECK(spines.size() == 4);
}

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

TEST_CASE("network_transfers: a transfer has its send, step, bytes and the links of its path") {
    const network_transfers::transfer none;
    CHECK((none.send == 0 && none.step == 0 && none.bytes == 0 && none.path == 0));
    // 0 - 1 - 2 - 0 in both directions, and a second link from 0 to 1.
    const topology::network::link links[] = {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 0}, {0, 2}, {0, 1}};
    link_queue_model model{topology::network(3, 0, links), {}, false};
    const std::vector<edge> edges{{.step = 0, .src = 0, .dst = 1, .size = 4},
                                  {.step = 0, .src = 0, .dst = 1, .from_offset = 4, .size = 3},
                                  {.step = 0, .src = 0, .dst = 2, .size = 2},
                                  {.step = 1, .src = 0, .dst = 1, .size = 1},
                                  {.step = 2, .src = 2, .dst = 0, .size = 7}};
    const auto s = support::by_hand({.collective = collective::reduce, .ranks = 3, .bytes = 8}, 3, edges);
    const execution_graph graph(s);
    const auto listed = [&] {
        const network_transfers transfers(s, graph, model, binding::separate);
        std::string found;
        for (std::size_t t = 0; t < transfers.all().size(); ++t) {
            const network_transfers::transfer& one = transfers.all()[t];
            found += std::to_string(graph[one.send].rank) + ">" + std::to_string(graph[graph[one.send].peer].rank) +
                     " step " + std::to_string(one.step) + " bytes " + std::to_string(one.bytes) + " links";
            for (std::int32_t hop = 0; hop < transfers.hops(static_cast<std::int64_t>(t)); ++hop) {
                for (const std::int32_t i : transfers.links(static_cast<std::int64_t>(t), hop))
                    found += " " + std::to_string(i);
                found += ";";
            }
            found += "\n";
        }
        return transfers.check() ? std::string(transfers.check().text().c_str()) : found;
    };
    CHECK(listed() ==
          "0>1 step 0 bytes 4 links 0 6;\n0>1 step 0 bytes 3 links 0 6;\n0>2 step 0 bytes 2 links 5;\n"
          "0>1 step 1 bytes 1 links 0 6;\n2>0 step 2 bytes 7 links 4;\n");
    model.paths = [](const edge& e, std::vector<rank_t>& path) {
        if (e.dst == 2) path = {0, 1, 2};
    };
    CHECK(listed() ==
          "0>1 step 0 bytes 4 links 0 6;\n0>1 step 0 bytes 3 links 0 6;\n0>2 step 0 bytes 2 links 0 6; 2;\n"
          "0>1 step 1 bytes 1 links 0 6;\n2>0 step 2 bytes 7 links 4;\n");
    using vertices = std::vector<rank_t>;
    for (const vertices& wrong : {vertices{0}, vertices{0, 2, 1}, vertices{1, 2}, vertices{0, 3, 2}, vertices{0, -1, 2},
                                  vertices{0, 0, 2}, vertices{2, 0, 2}}) {
        model.paths = [&](const edge& e, std::vector<rank_t>& path) {
            if (e.dst == 2) path = wrong;
        };
        CHECK(listed() == "path: got 2, expected a path over links of the network, from source to target");
    }
}

TEST_CASE("network_transfers: a message that the graph does not have is refused") {
    const topology::network::link links[] = {{0, 1}, {1, 2}, {0, 2}};
    const link_queue_model model{topology::network(3, 0, links), {}, false};
    const auto of = [&](rank_t first, rank_t second) {
        return support::by_hand(
            {.collective = collective::reduce, .ranks = 3, .bytes = 8}, 6,
            {{.step = 5, .src = 0, .dst = first, .size = 4}, {.step = 5, .src = 0, .dst = second, .size = 3}});
    };
    const execution_graph single(support::by_hand({.collective = collective::reduce, .ranks = 3, .bytes = 8}, 6,
                                                  {{.step = 5, .src = 0, .dst = 1, .size = 4}}));
    CHECK(network_transfers(of(1, 2), single, model, binding::separate).check() ==
          argument_error{"schedule", 5, "messages in the order of steps and targets"});
}
