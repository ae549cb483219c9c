#include "collsched/topology/rank_cycle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "support/random_network.hpp"

using namespace collsched;
using topology::find_rank_cycle;
using topology::network;
using rank_cycle = topology::network::rank_cycle;
namespace networks = topology::networks;

namespace {

/// Checks that a cycle has every rank once, from rank 0 on, and follows links, if the network has no switches.
void check_cycle(const network& net, const rank_cycle& found) {
    REQUIRE(found.order.size() == net.ranks());
    CHECK(found.order[0] == 0);
    std::vector<rank_t> all(found.order.begin(), found.order.end());
    std::map<std::pair<rank_t, rank_t>, std::int64_t> rates;
    for (const network::link& one : net.links()) rates[{one.from, one.to}] += one.bandwidth;
    std::int64_t least = INT64_MAX;
    for (rank_t i = 0; i < net.ranks(); ++i)
        least = std::min(least, rates[{found.order[i], found.order[(i + 1) % net.ranks()]}]);
    if (net.switches() == 0) CHECK(least == found.bandwidth);
    std::ranges::sort(all);
    for (rank_t r = 0; r < net.ranks(); ++r) CHECK(all[static_cast<std::size_t>(r)] == r);
}

/// Returns the largest bandwidth of all cycles over links, 0 if there is none, by going through all orders.
std::int64_t widest(const network& net) {
    std::map<std::pair<rank_t, rank_t>, std::int64_t> rates;
    for (const network::link& one : net.links()) rates[{one.from, one.to}] += one.bandwidth;
    std::vector<rank_t> order(static_cast<std::size_t>(net.ranks()));
    std::iota(order.begin(), order.end(), 0);
    std::int64_t best = 0;
    do {
        std::int64_t least = INT64_MAX;
        for (std::size_t i = 0; i < order.size(); ++i)
            least = std::min(least, rates[{order[i], order[(i + 1) % order.size()]}]);
        best = std::max(best, least);
    } while (std::next_permutation(order.begin() + 1, order.end()));
    return best;
}

}  // namespace

TEST_CASE("rank_cycle: meshes and tori have a cycle of links if there is one") {
    const auto found = [](std::vector<rank_t> sizes, bool torus) {
        const topology::network::cable cable{.bandwidth = 7};
        const network net = torus ? networks::torus(sizes, cable) : networks::mesh(sizes, cable);
        const rank_cycle made = find_rank_cycle(net);
        CHECK(made.exact);
        if (!made.order.empty()) check_cycle(net, made);
        return !made.order.empty();
    };
    CHECK(found({4, 5}, false));
    CHECK(found({5, 4}, false));
    CHECK(found({3, 4, 5}, false));
    CHECK(found({2, 2, 2, 2}, false));
    CHECK(found({16, 16, 8}, false));
    CHECK(!found({5, 5}, false));
    CHECK(!found({9, 9}, false));
    CHECK(!found({3, 3, 3}, false));
    CHECK(!found({1, 6}, false));
    CHECK(found({5, 5}, true));
    CHECK(found({3, 3, 3}, true));
    CHECK(found({9}, true));
    CHECK(found({2}, true));
}

TEST_CASE("rank_cycle: a mesh whose ranks are numbered at random has a cycle too") {
    const rank_t sizes[] = {4, 4};
    const network mesh = networks::mesh(sizes, {.bandwidth = 3});
    std::vector<network::link> links(mesh.links().begin(), mesh.links().end());
    for (network::link& one : links) one.from = one.from * 5 % 16, one.to = one.to * 5 % 16;
    const network net(16, 0, links);
    const rank_cycle found = find_rank_cycle(net);
    CHECK(found.bandwidth == 3);
    check_cycle(net, found);
}

TEST_CASE("rank_cycle: the cycle of a small network is the widest one") {
    int with = 0, without = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed)
        for (const auto shape : {support::network_shape::directed, support::network_shape::bidirectional}) {
            const network net = support::random_network(seed, shape);
            if (net.switches() > 0 || net.ranks() > 7) continue;
            CAPTURE(seed);
            const rank_cycle found = find_rank_cycle(net);
            CHECK(found.exact);
            CHECK(found.bandwidth == widest(net));
            if (found.order.empty()) ++without;
            else ++with, check_cycle(net, found);
        }
    CHECK(with > 10);
    CHECK(without > 10);
}

TEST_CASE("rank_cycle: ranks at switches are neighbors, and those of a box follow each other") {
    const network net = networks::boxes({.boxes = 3,
                                         .ranks_per_box = 4,
                                         .nics_per_box = 1,
                                         .rank_cable = {.bandwidth = 100},
                                         .nic_cable = {.bandwidth = 10},
                                         .rail_cable = {.bandwidth = 10}});
    const rank_cycle found = find_rank_cycle(net);
    CHECK(found.exact);
    CHECK(found.bandwidth == 10);
    check_cycle(net, found);
    int changes = 0;
    for (rank_t i = 0; i < 12; ++i) changes += found.order[i] / 4 != found.order[(i + 1) % 12] / 4 ? 1 : 0;
    CHECK(changes == 3);
}

TEST_CASE("rank_cycle: one direction of links suffices, and networks that are not connected have none") {
    const network::link ring[] = {{0, 2, 5}, {2, 1, 4}, {1, 0, 5}}, apart[] = {{0, 1, 5}, {1, 0, 5}};
    const rank_cycle found = find_rank_cycle(network(3, 0, ring));
    CHECK(found.bandwidth == 4);
    CHECK(found.order[1] == 2);
    CHECK(find_rank_cycle(network(3, 0, apart)).order.empty());
    CHECK(find_rank_cycle(network(1, 0, {})).order.empty());
    CHECK(find_rank_cycle(networks::ring(0, {})).order.empty());
}

TEST_CASE("rank_cycle: without a cycle there is no bandwidth, and a sum of bandwidths beyond 63 bits is not exact") {
    const network::link apart[] = {{0, 1, 5}, {1, 0, 5}}, wide[] = {{0, 1, INT64_MAX}, {0, 1, 1}, {1, 0, 1}};
    for (const network& net : {network(), network(1, 0, {}), network(3, 0, apart), networks::ring(0, {})}) {
        const rank_cycle none = find_rank_cycle(net);
        CHECK(none.order.empty());
        CHECK(none.bandwidth == 0);
        CHECK(none.exact);
    }
    const rank_cycle unknown = find_rank_cycle(network(2, 0, wide));
    CHECK(unknown.order.empty());
    CHECK(unknown.bandwidth == 0);
    CHECK(!unknown.exact);
}
