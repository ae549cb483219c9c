#include "collsched/topology/switched_networks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "support/graphs.hpp"

using namespace collsched;
using topology::cable;
using topology::network;
namespace networks = topology::networks;

namespace {

constexpr cable inner{300, 1}, outer{25, 2}, rail{50, 4};

std::vector<int> switch_degrees(const network& net) {
    std::vector<int> degrees = support::out_degrees(net);
    degrees.erase(degrees.begin(), degrees.begin() + net.ranks());
    return degrees;
}

}  // namespace

TEST_CASE("switched_networks: leaf and spine") {
    const network net = networks::leaf_spine(
        {.leaves = 3, .ranks_per_leaf = 4, .spines = 2, .uplinks = 2, .rank_cable = inner, .uplink_cable = outer});
    CHECK(net.ranks() == 12);
    CHECK(net.switches() == 5);
    CHECK(switch_degrees(net) == std::vector<int>{8, 8, 8, 6, 6});
    CHECK(support::diameter(net) == 4);
    CHECK(support::is_bidirectional(net));
    CHECK(support::sorted_links(net)[5] == network::link{5, 13, 300, 1});
    CHECK(std::count(net.links().begin(), net.links().end(), network::link{12, 15, 25, 2}) == 2);
}

TEST_CASE("switched_networks: a k-ary fat tree uses all ports of k^2 * 5/4 switches") {
    for (const rank_t k : {2, 4, 6, 8}) {
        const network net = networks::fat_tree(k, outer);
        CHECK(net.ranks() == k * k * k / 4);
        CHECK(net.switches() == k * k * 5 / 4);
        for (const int degree : switch_degrees(net)) CHECK(degree == k);
        CHECK(support::diameter(net) == 6);
        CHECK(support::is_bidirectional(net));
    }
    const network four = networks::fat_tree(4, outer);
    const std::vector<network::link> links = support::sorted_links(four);
    const auto has = [&](rank_t from, rank_t to) {
        return std::find(links.begin(), links.end(), network::link{from, to, 25, 2}) != links.end();
    };
    CHECK((has(3, 17) && has(17, 24) && has(17, 25) && !has(17, 26)));                  // rank 3, edge 1, pod 0
    CHECK((has(24, 32) && has(24, 33) && !has(24, 34) && has(25, 34) && has(31, 35)));  // aggregation to core
}

TEST_CASE("switched_networks: every two groups of a dragonfly have the same number of cables") {
    for (rank_t g = 1; g <= 9; ++g) {
        const networks::dragonfly_shape shape{.groups = g,
                                              .switches_per_group = 4,
                                              .ranks_per_switch = 2,
                                              .global_cables = 2,
                                              .rank_cable = inner,
                                              .local_cable = outer,
                                              .global_cable = rail};
        const network net = networks::dragonfly(shape);
        REQUIRE_FALSE(net.check());
        CHECK(net.ranks() == g * 8);
        CHECK(net.switches() == g * 4);
        CHECK(support::is_bidirectional(net));
        std::vector<int> cables(static_cast<std::size_t>(g * g)), ports(static_cast<std::size_t>(g * 4));
        for (const network::link& link : net.links()) {
            if (link.bandwidth != 50) continue;
            const rank_t from = link.from - net.ranks(), to = link.to - net.ranks();
            ++cables[static_cast<std::size_t>(from / 4 * g + to / 4)];
            CHECK(++ports[static_cast<std::size_t>(from)] <= 2);
        }
        for (rank_t i = 0; i < g; ++i)
            for (rank_t j = 0; j < g; ++j)
                CHECK(cables[static_cast<std::size_t>(i * g + j)] == (i == j ? 0 : 8 / (g - 1)));
        CHECK(support::diameter(net) >= 3);
        CHECK(support::diameter(net) <= (g == 1 ? 3 : 5));
    }
}

TEST_CASE("switched_networks: boxes with one interface per rank and two rails") {
    const network net = networks::boxes({.boxes = 2,
                                         .ranks_per_box = 4,
                                         .nics_per_box = 4,
                                         .rails = 2,
                                         .rank_cable = inner,
                                         .nic_cable = outer,
                                         .rail_cable = rail});
    CHECK(net.ranks() == 8);
    CHECK(net.switches() == 2 + 2 + 8);
    CHECK(net.links().size() == 2 * (8 + 8 + 8));
    CHECK(support::is_bidirectional(net));
    const std::vector<network::link> links = support::sorted_links(net);
    const auto has = [&](const network::link& l) { return std::find(links.begin(), links.end(), l) != links.end(); };
    CHECK(has({5, 9, 300, 1}));          // rank 1 of box 1, the switch of box 1
    CHECK(has({5, 17, 25, 2}));          // its interface
    CHECK(has({17, 11, 50, 4}));         // rail 1
    CHECK(has({16, 10, 50, 4}));         // rail 0
    CHECK(support::diameter(net) == 6);  // across rails through a rank of the other box
}

TEST_CASE("switched_networks: boxes with fewer or more interfaces than ranks, or none") {
    const auto interfaces = [](rank_t ranks, rank_t nics) {
        const network net = networks::boxes({.ranks_per_box = ranks,
                                             .nics_per_box = nics,
                                             .rank_cable = inner,
                                             .nic_cable = outer,
                                             .rail_cable = rail});
        CHECK(support::is_bidirectional(net));
        std::set<std::pair<rank_t, rank_t>> pairs;  // rank, interface
        for (const network::link& l : net.links())
            if (l.bandwidth == 25 && l.from < net.ranks()) pairs.emplace(l.from, l.to - ranks - 2);
        return pairs;
    };
    CHECK(interfaces(4, 2) == std::set<std::pair<rank_t, rank_t>>{{0, 0}, {1, 0}, {2, 1}, {3, 1}});
    CHECK(interfaces(2, 4) == std::set<std::pair<rank_t, rank_t>>{{0, 0}, {0, 1}, {1, 2}, {1, 3}});
    CHECK(interfaces(3, 2) == std::set<std::pair<rank_t, rank_t>>{{0, 0}, {1, 0}, {2, 1}});
    const network alone = networks::boxes({.ranks_per_box = 3, .nics_per_box = 0, .rank_cable = inner});
    CHECK(alone.switches() == 1);
    CHECK(alone.links().size() == 6);
}

TEST_CASE("switched_networks: wrong shapes are reported") {
    CHECK(networks::leaf_spine({.leaves = 0}).check() == argument_error{"leaves", 0, "1 to 2^24"});
    CHECK(networks::leaf_spine({.ranks_per_leaf = -1}).check() == argument_error{"ranks_per_leaf", -1, "1 to 2^24"});
    CHECK(networks::leaf_spine({.spines = 0}).check() == argument_error{"spines", 0, "1 to 2^24"});
    CHECK(networks::leaf_spine({.uplinks = 0}).check() == argument_error{"uplinks", 0, "1 to 2^24"});
    CHECK(networks::leaf_spine({.leaves = 1 << 20, .ranks_per_leaf = 1 << 20, .spines = 1 << 20}).check() ==
          argument_error{"leaves", 1 << 20, "at most 2^24 links"});
    const argument_error no_bandwidth{"bandwidth", 0, "1 byte per second or more"};
    constexpr cable wrong{0, 0};
    CHECK(networks::leaf_spine({.rank_cable = wrong}).check() == no_bandwidth);
    CHECK(networks::leaf_spine({.uplink_cable = wrong}).check() == no_bandwidth);
    CHECK(networks::fat_tree(2, wrong).check() == no_bandwidth);
    CHECK(networks::dragonfly({.rank_cable = wrong}).check() == no_bandwidth);
    CHECK(networks::dragonfly({.local_cable = wrong}).check() == no_bandwidth);
    CHECK(networks::dragonfly({.global_cable = wrong}).check() == no_bandwidth);
    CHECK(networks::boxes({.rank_cable = wrong}).check() == no_bandwidth);
    CHECK(networks::boxes({.nic_cable = wrong}).check() == no_bandwidth);
    CHECK(networks::boxes({.rail_cable = wrong}).check() == no_bandwidth);
    for (const rank_t ports : {0, 1, 3, 224, -2})
        CHECK(networks::fat_tree(ports, outer).check() == argument_error{"ports", ports, "an even number, 2 to 222"});
    CHECK_FALSE(networks::fat_tree(222, outer).check());
    CHECK(networks::dragonfly({.groups = 3}).check() ==
          argument_error{"groups", 3, "1 to switches_per_group * global_cables + 1"});
    CHECK(networks::dragonfly({.groups = 0}).check() == argument_error{"groups", 0, "1 to 2^24"});
    for (const rank_t number : {rank_t{INT64_MIN}, rank_t{0}}) {
        CHECK(networks::dragonfly({.switches_per_group = number}).check() ==
              argument_error{"switches_per_group", number, "1 to 2^24"});
        CHECK(networks::dragonfly({.ranks_per_switch = number}).check() ==
              argument_error{"ranks_per_switch", number, "1 to 2^24"});
    }
    CHECK(networks::dragonfly({.global_cables = -1}).check() == argument_error{"global_cables", -1, "0 to 2^24"});
    CHECK_FALSE(networks::dragonfly({.global_cables = 0}).check());
    CHECK(networks::dragonfly({.switches_per_group = 1 << 20}).check() ==
          argument_error{"groups", 1, "at most 2^24 links"});
    CHECK(networks::boxes({.boxes = 0}).check() == argument_error{"boxes", 0, "1 to 2^24"});
    CHECK(networks::boxes({.ranks_per_box = 0}).check() == argument_error{"ranks_per_box", 0, "1 to 2^24"});
    CHECK(networks::boxes({.boxes = 2, .nics_per_box = 0}).check() ==
          argument_error{"nics_per_box", 0, "1 to 2^24, or 0 for a single box"});
    CHECK(networks::boxes({.rails = 0}).check() == argument_error{"rails", 0, "1 to 2^24"});
    CHECK(networks::boxes({.rail_cable = {1, -1}}).check() == argument_error{"latency", -1, "0 picoseconds or more"});
}

TEST_CASE("switched_networks: a shape has one of everything unless stated, and a cable 1 byte per second") {
    constexpr networks::leaf_spine_shape leaves;
    CHECK((leaves.leaves == 1 && leaves.ranks_per_leaf == 1 && leaves.spines == 1 && leaves.uplinks == 1));
    CHECK((leaves.rank_cable == cable{} && leaves.uplink_cable == cable{}));
    constexpr networks::dragonfly_shape groups;
    CHECK((groups.groups == 1 && groups.switches_per_group == 1 && groups.ranks_per_switch == 1));
    CHECK((groups.global_cables == 1 && groups.global_cable == cable{}));
    constexpr networks::boxes_shape boxes;
    CHECK((boxes.boxes == 1 && boxes.ranks_per_box == 1 && boxes.nics_per_box == 1 && boxes.rails == 1));
    CHECK_FALSE(networks::leaf_spine({}).check());
    CHECK_FALSE(networks::dragonfly({}).check());
    CHECK_FALSE(networks::boxes({}).check());
    CHECK_FALSE(networks::boxes({.boxes = 2}).check());
}

TEST_CASE("switched_networks: 2^24 links are accepted, one cable more is not") {
    // The rates are looked at after the number of links.
    const argument_error accepted{"bandwidth", 0, "1 byte per second or more"};
    const auto leaf_spine = [](rank_t leaves) {
        return networks::leaf_spine({.leaves = leaves, .rank_cable = {0, 0}}).check();
    };
    CHECK(leaf_spine(1 << 22) == accepted);
    CHECK(leaf_spine((1 << 22) + 1) == argument_error{"leaves", (1 << 22) + 1, "at most 2^24 links"});
    const auto dragonfly = [](rank_t global_cables) {
        return networks::dragonfly({.switches_per_group = 2,
                                    .ranks_per_switch = (1 << 22) - 1,
                                    .global_cables = global_cables,
                                    .rank_cable = {0, 0}})
            .check();
    };
    CHECK(dragonfly(1) == accepted);  // 2 (2^23 - 2) + 2 + 2
    CHECK(dragonfly(2) == argument_error{"groups", 1, "at most 2^24 links"});
    const auto boxes = [](rank_t count, rank_t ranks, rank_t interfaces) {
        return networks::boxes(
                   {.boxes = count, .ranks_per_box = ranks, .nics_per_box = interfaces, .rank_cable = {0, 0}})
            .check();
    };
    CHECK(boxes((1 << 24) / 6, 1, 1) == accepted);
    CHECK(boxes((1 << 24) / 6 + 1, 1, 1) == argument_error{"boxes", (1 << 24) / 6 + 1, "at most 2^24 links"});
    CHECK(boxes(1, 1 << 23, 0) == accepted);
    CHECK(boxes(1, (1 << 23) + 1, 0) == argument_error{"boxes", 1, "at most 2^24 links"});
}

TEST_CASE("switched_networks: work during constant evaluation") {
    static_assert(networks::fat_tree(4, outer).links().size() == 96);
    static_assert(networks::boxes({.boxes = 2, .ranks_per_box = 8, .nics_per_box = 8}).links().size() == 96);
    static_assert(networks::leaf_spine({.leaves = 2, .ranks_per_leaf = 2, .spines = 2}).links().size() == 16);
    static_assert(networks::dragonfly({.groups = 3, .switches_per_group = 2}).links().size() == 24);
}
