#include "collsched/simulate/contention_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace collsched;
using collsched::detail::link_route;

TEST_CASE("contention_model: network, in a tree a message goes up to the lowest common switch, and down again") {
    // Two switches under a root; nodes 0 and 1 on the first, 2 on the second, 3 on the root.
    const std::vector<rank_t> parents = {0, 0}, homes = {1, 1, 2, 0};
    const std::vector<lob_model::link_cost> own = {{1, 10}, {2, 20}, {3, 30}, {4, 40}},
                                            uplinks = {{99, 99}, {100, 5}, {200, 50}};
    const contention_model::network net = tree_network(topology::switch_tree(parents, homes), own, uplinks);
    REQUIRE(!net.check());
    CHECK(net.nodes() == 4);
    CHECK(net.route(0, 0).empty());
    CHECK(net.route(0, 1) == link_route{0, 3});  // node c: 2c up and 2c + 1 down
    CHECK(net.route(1, 0) == link_route{2, 1});
    CHECK(net.route(0, 2) == link_route{0, 10, 13, 5});  // switch e: 2(4 + e) up and one more down
    CHECK(net.route(2, 0) == link_route{4, 12, 11, 1});
    CHECK(net.route(3, 1) == link_route{6, 11, 3});
    CHECK(net.cost(net.route(0, 2)) == lob_model::link_cost{1 + 100 + 200 + 3, 50});
    CHECK(net.cost(net.route(0, 1)) == lob_model::link_cost{3, 20});
    for (const contention_model::network::link& one : net.links()) CHECK(one.shared);
}

TEST_CASE("contention_model: network, pairs of nodes share no links") {
    const std::vector<picoseconds> overheads(3), latencies{0, 1, 2, 3, 0, 4, 5, 6, 0};
    const std::vector<std::int64_t> byte_fs{0, 10, 20, 30, 0, 40, 50, 60, 0};
    const contention_model::network net = pair_network(lob_model(overheads, latencies, byte_fs));
    REQUIRE(!net.check());
    CHECK(net.nodes() == 3);
    CHECK(net.route(1, 1).empty());
    CHECK(net.route(0, 1) != net.route(1, 0));
    CHECK(net.cost(net.route(0, 1)) == lob_model::link_cost{1, 10});
    CHECK(net.cost(net.route(2, 1)) == lob_model::link_cost{6, 60});
    std::vector<std::int32_t> used;
    for (rank_t i = 0; i < 3; ++i)
        for (rank_t j = 0; j < 3; ++j)
            if (i != j) used.push_back(net.route(i, j).front());
    std::sort(used.begin(), used.end());
    CHECK(std::adjacent_find(used.begin(), used.end()) == used.end());
}

TEST_CASE("contention_model: network, more than 2048 nodes have no links for pairs") {
    const auto flat = [](rank_t n) {
        const std::vector<picoseconds> overheads(static_cast<std::size_t>(n));
        const std::vector<lob_model::link_cost> own(overheads.size(), {1, 2}), uplinks(1);
        return pair_network(lob_model(topology::switch_tree::flat(n), overheads, own, uplinks));
    };
    CHECK(!flat(2048).check());
    CHECK(flat(2049).check().value == 2049);
    CHECK(flat(2049).nodes() == 0);
}

TEST_CASE("contention_model: network, latencies whose sum exceeds 64 bits saturate") {
    const contention_model::network net(2, {{{bytes_t{1} << 62, 1}}, {{bytes_t{1} << 62, 2}}}, {});
    CHECK(net.cost(link_route{0}).latency_ps == bytes_t{1} << 62);
    CHECK(net.cost(link_route{0, 1}) == lob_model::link_cost{INT64_MAX, 2});
}

TEST_CASE("contention_model: network, negative costs are reported with the link") {
    const contention_model::network wrong(2, {{{1, 1}}, {{-1, 1}}}, {});
    CHECK(wrong.check().index == 1);
    CHECK(contention_model::network().nodes() == 0);
}

TEST_CASE("contention_model: network, each error has its argument, value, text and index") {
    CHECK(contention_model::network(2, {{{1, 1}}, {{-3, 1}}, {{-1, 1}}}, {}).check() ==
          argument_error{"links", -3, "0 or more", 1});
    CHECK(contention_model::network(2, {{{5, -2}}}, {}).check() == argument_error{"links", -2, "0 or more", 0});
    CHECK_FALSE(contention_model::network(2, {{{0, 0}}}, {}).check());
    const std::vector<lob_model::link_cost> own(2049, {1, 2}), uplinks(1);
    const std::vector<picoseconds> overheads(2049);
    CHECK(pair_network(lob_model(topology::switch_tree::flat(2049), overheads, own, uplinks)).check() ==
          argument_error{"nodes", 2049, "at most 2048 of a network with a link for each pair"});
    CHECK((contention_model::network().links().empty() && !contention_model::network().check()));
    CHECK(
        (contention_model::network::link{}.shared && contention_model::network::link{}.cost == lob_model::link_cost{}));
}

TEST_CASE(
    "contention_model: network, placed on nodes, a message between two of them has their route, others have its own") {
    const std::vector<lob_model::link_cost> own = {{1, 10}, {2, 20}, {3, 30}}, uplinks(1);
    const contention_model::network net = tree_network(topology::switch_tree::flat(3), own, uplinks);
    const std::vector<rank_t> nodes = {2, 0, 2, 1, 2, 2};
    const std::vector<intra_node_links> inside = {
        {}, {}, {.rank_link = {40, 4}, .shared = true, .sockets = 2, .socket_link = {50, 5}}};
    const contention_model::network ranks = net.placed(topology::placement::list(nodes, 3), inside);
    REQUIRE(!ranks.check());
    CHECK(ranks.nodes() == 6);
    CHECK(ranks.route(0, 0).empty());
    CHECK(ranks.route(1, 3) == net.route(0, 1));
    CHECK(ranks.route(4, 1) == net.route(2, 0));
    // The memory, both sockets and four ranks of node 2, each but the memory with two links.
    CHECK(ranks.links().size() == net.links().size() + 1 + 2 * (2 + 4));
    CHECK(ranks.route(0, 2).size() == 3);
    CHECK(ranks.cost(ranks.route(0, 2)) == link_cost{40, 4});
    CHECK(ranks.route(2, 4).size() == 5);
    CHECK(ranks.cost(ranks.route(2, 4)) == link_cost{90, 5});
    CHECK(ranks.route(0, 2)[1] == ranks.route(5, 0)[2]);  // the memory
    CHECK(ranks.route(0, 4)[1] == ranks.route(2, 5)[1]);  // the first socket's link
    CHECK(ranks.route(0, 4)[1] != ranks.route(4, 0)[1]);
}
