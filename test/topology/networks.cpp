#include "collsched/topology/networks.hpp"

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
using cable = topology::network::cable;
using topology::network;
using detail::link_list;
using detail::shape_check;
namespace networks = topology::networks;

namespace {

using list = std::vector<rank_t>;
constexpr cable slow{10, 3}, fast{70, 1};

std::size_t links(const network& net) { return net.links().size(); }
bool all(const std::vector<int>& degrees, int expected) {
    return std::count(degrees.begin(), degrees.end(), expected) == std::ssize(degrees);
}

}  // namespace

TEST_CASE("networks: a mesh joins neighbors, the last coordinate fastest") {
    const std::vector<cable> cables{slow, fast};
    const network net = networks::mesh(list{2, 3}, cables);
    CHECK(net.ranks() == 6);
    CHECK(net.switches() == 0);
    CHECK(links(net) == 2 * (4 + 3));
    const std::vector<network::link> all_links = support::sorted_links(net);
    CHECK(std::vector(all_links.begin(), all_links.begin() + 5) ==
          std::vector<network::link>{{0, 1, 70, 1}, {0, 3, 10, 3}, {1, 0, 70, 1}, {1, 2, 70, 1}, {1, 4, 10, 3}});
    CHECK(support::is_bidirectional(net));
    CHECK(networks::mesh(list{2, 3}, std::vector<cable>{slow, slow}) == networks::mesh(list{2, 3}, slow));
}

TEST_CASE("networks: a mesh of sizes n has sum(p - p / n) cables and diameter sum(n - 1)") {
    for (const list& sizes : {list{}, list{1}, list{4}, list{2, 2}, list{3, 1, 4}, list{2, 3, 4}}) {
        rank_t p = 1, cables = 0, far = 0;
        for (const rank_t n : sizes) p *= n;
        for (const rank_t n : sizes) {
            cables += p - p / n;
            far += n - 1;
        }
        const network net = networks::mesh(sizes, slow);
        CHECK_FALSE(net.check());
        CHECK(net.ranks() == p);
        CHECK(static_cast<rank_t>(links(net)) == 2 * cables);
        CHECK(support::diameter(net) == far);
    }
}

TEST_CASE("networks: a torus has a cable more per row, from three ranks on") {
    for (const list& sizes : {list{1}, list{2}, list{5}, list{2, 3}, list{4, 4}, list{3, 4, 5}, list{2, 2, 2}}) {
        rank_t far = 0;
        int degree = 0;
        for (const rank_t n : sizes) {
            far += n / 2;
            degree += n == 1 ? 0 : n == 2 ? 1 : 2;
        }
        const network net = networks::torus(sizes, fast);
        CHECK(support::diameter(net) == far);
        CHECK(all(support::out_degrees(net), degree));
        CHECK(support::is_bidirectional(net));
    }
    const std::vector<cable> cables{slow, fast};
    const network net = networks::torus(list{3, 2}, cables);
    CHECK(support::sorted_links(net)[0] == network::link{0, 1, 70, 1});
    CHECK(support::sorted_links(net)[2] == network::link{0, 4, 10, 3});
    CHECK(networks::ring(5, fast) == networks::torus(list{5}, fast));
    CHECK(links(networks::ring(1, fast)) == 0);
    CHECK(links(networks::ring(2, fast)) == 2);
}

TEST_CASE("networks: a hypercube has the links of a torus of pairs") {
    for (rank_t d = 0; d <= 5; ++d) {
        const network net = networks::hypercube(d, slow);
        CHECK(net.ranks() == rank_t{1} << d);
        CHECK(support::sorted_links(net) ==
              support::sorted_links(networks::torus(list(static_cast<std::size_t>(d), 2), slow)));
    }
}

TEST_CASE("networks: fully connected ranks are one link apart") {
    const network net = networks::fully_connected(6, slow);
    CHECK(links(net) == 30);
    CHECK(support::diameter(net) == 1);
    CHECK(support::is_bidirectional(net));
    CHECK(links(networks::fully_connected(1, slow)) == 0);
}

TEST_CASE("networks: a generalized Kautz graph has a diameter of at most ceil(log_d n)") {
    for (rank_t d = 2; d <= 4; ++d) {
        for (rank_t n = d + 1; n <= 40; ++n) {
            const network net = networks::generalized_kautz(n, d, slow);
            int levels = 0;
            for (rank_t reached = 1; reached < n; reached *= d) ++levels;
            CHECK(support::diameter(net) <= levels);
            CHECK(support::out_degrees(net) == support::in_degrees(net));
            const std::vector<int> degrees = support::out_degrees(net);
            CHECK(*std::max_element(degrees.begin(), degrees.end()) == d);
        }
    }
    const network kautz = networks::generalized_kautz(12, 2, fast);  // the Kautz graph K(2, 3), without self links
    CHECK(all(support::out_degrees(kautz), 2));
    CHECK(support::diameter(kautz) == 3);
    CHECK(support::sorted_links(kautz)[0] == network::link{0, 10, 70, 1});
    CHECK(support::sorted_links(kautz)[1] == network::link{0, 11, 70, 1});
    CHECK(links(networks::generalized_kautz(4, 2, fast)) == 6);  // 1 -> 1 and 2 -> 2 are omitted
}

TEST_CASE("networks: a wrong parameter is reported") {
    const auto mesh = [](const list& sizes, const std::vector<cable>& cables) {
        return networks::mesh(sizes, cables).check();
    };
    CHECK(mesh({2, 0}, {slow}) == argument_error{"sizes", 0, "1 or more", 1});
    CHECK(mesh({2, -3}, {slow}) == argument_error{"sizes", -3, "1 or more", 1});
    CHECK(mesh({1 << 20, 4, 2}, {slow}) == argument_error{"sizes", 4, "at most 2^24 links", 1});
    // 2^22 ranks of two dimensions have 2^24 links: the next size is looked at.
    CHECK(mesh({1 << 22, 0}, {slow}) == argument_error{"sizes", 0, "1 or more", 1});
    CHECK(mesh({(1 << 22) + 1, 0}, {slow}) == argument_error{"sizes", (1 << 22) + 1, "at most 2^24 links", 0});
    CHECK(mesh({INT64_MAX}, {slow}) == argument_error{"sizes", INT64_MAX, "at most 2^24 links", 0});
    CHECK(mesh({2, 2, 2}, {slow, fast}) == argument_error{"cables", 2, "one cable, or one per dimension"});
    CHECK(mesh({2, 2}, {{0, 1}, slow}) == argument_error{"bandwidth", 0, "1 byte per second or more", 0});
    CHECK(mesh({2, 2}, {}) == argument_error{"cables", 0, "one cable, or one per dimension"});
    CHECK(mesh({2, 2}, {slow, {0, 1}}) == argument_error{"bandwidth", 0, "1 byte per second or more", 1});
    CHECK(networks::torus(list{3}, cable{1, -1}).check() == argument_error{"latency", -1, "0 picoseconds or more"});
    for (const rank_t ranks : {rank_t{0}, rank_t{(1 << 23) + 1}, rank_t{INT64_MIN}})
        CHECK(networks::ring(ranks, slow).check() == argument_error{"ranks", ranks, "1 to 2^23"});
    CHECK(networks::hypercube(-1, slow).check() == argument_error{"dimensions", -1, "0 to 19"});
    CHECK(networks::hypercube(20, slow).check() == argument_error{"dimensions", 20, "0 to 19"});
    for (const rank_t ranks : {-1, 0, 4097})
        CHECK(networks::fully_connected(ranks, slow).check() == argument_error{"ranks", ranks, "1 to 4096"});
    const argument_error no_bandwidth{"bandwidth", 0, "1 byte per second or more"};
    CHECK(networks::fully_connected(2, {0, 0}).check() == no_bandwidth);
    CHECK(networks::hypercube(2, {0, 0}).check() == no_bandwidth);
    CHECK(networks::ring(3, {0, 0}).check() == no_bandwidth);
    CHECK(networks::generalized_kautz(3, 2, {0, 0}).check() == no_bandwidth);
    CHECK_FALSE(networks::generalized_kautz(2, 1, slow).check());
    CHECK(networks::generalized_kautz(1, 1, slow).check() == argument_error{"ranks", 1, "2 to 2^24"});
    for (const rank_t degree : {0, -1, 5})
        CHECK(networks::generalized_kautz(5, degree, slow).check() ==
              argument_error{"degree", degree, "1 to ranks - 1"});
    CHECK(networks::generalized_kautz(1 << 20, 17, slow).check() == argument_error{"degree", 17, "at most 2^24 links"});
}

TEST_CASE("networks: direct ones work during constant evaluation") {
    static constexpr rank_t sizes[] = {3, 4};
    static constexpr cable cables[] = {slow, fast};
    static_assert(networks::torus(sizes, slow).links().size() == 48);
    static_assert(networks::mesh(sizes, cables).links().size() == 34);
    static_assert(networks::fully_connected(4, fast).links().size() == 12);
    static_assert(networks::ring(8, slow).links().size() == 16);
    static_assert(networks::hypercube(3, slow).links().size() == 24);
    static_assert(networks::generalized_kautz(12, 2, slow).links().size() == 24);
}

namespace {

constexpr cable inner{300, 1}, outer{25, 2}, rail{50, 4};

std::vector<int> switch_degrees(const network& net) {
    std::vector<int> degrees = support::out_degrees(net);
    degrees.erase(degrees.begin(), degrees.begin() + net.ranks());
    return degrees;
}

}  // namespace

TEST_CASE("networks: leaf and spine") {
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

TEST_CASE("networks: a k-ary fat tree uses all ports of k^2 * 5/4 switches") {
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

TEST_CASE("networks: every two groups of a dragonfly have the same number of cables") {
    for (rank_t g = 1; g <= 9; ++g) {
        const network::dragonfly_shape shape{.groups = g,
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

TEST_CASE("networks: boxes with one interface per rank and two rails") {
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

TEST_CASE("networks: boxes with fewer or more interfaces than ranks, or none") {
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

TEST_CASE("networks: wrong shapes are reported") {
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

TEST_CASE("networks: a shape has one of everything unless stated, and a cable 1 byte per second") {
    constexpr network::leaf_spine_shape leaves;
    CHECK((leaves.leaves == 1 && leaves.ranks_per_leaf == 1 && leaves.spines == 1 && leaves.uplinks == 1));
    CHECK((leaves.rank_cable == cable{} && leaves.uplink_cable == cable{}));
    constexpr network::dragonfly_shape groups;
    CHECK((groups.groups == 1 && groups.switches_per_group == 1 && groups.ranks_per_switch == 1));
    CHECK((groups.global_cables == 1 && groups.global_cable == cable{}));
    constexpr network::boxes_shape boxes;
    CHECK((boxes.boxes == 1 && boxes.ranks_per_box == 1 && boxes.nics_per_box == 1 && boxes.rails == 1));
    CHECK_FALSE(networks::leaf_spine({}).check());
    CHECK_FALSE(networks::dragonfly({}).check());
    CHECK_FALSE(networks::boxes({}).check());
    CHECK_FALSE(networks::boxes({.boxes = 2}).check());
}

TEST_CASE("networks: 2^24 links are accepted, one cable more is not") {
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

TEST_CASE("networks: those with switches work during constant evaluation") {
    static_assert(networks::fat_tree(4, outer).links().size() == 96);
    static_assert(networks::boxes({.boxes = 2, .ranks_per_box = 8, .nics_per_box = 8}).links().size() == 96);
    static_assert(networks::leaf_spine({.leaves = 2, .ranks_per_leaf = 2, .spines = 2}).links().size() == 16);
    static_assert(networks::dragonfly({.groups = 3, .switches_per_group = 2}).links().size() == 24);
}

TEST_CASE("link_list: a network has the links that were added, both directions of a cable") {
    link_list links(5);
    links.connect(0, 2, {5, 7});
    links.link(2, 1, {6, 0});
    const network::link expected[] = {{0, 2, 5, 7}, {2, 0, 5, 7}, {2, 1, 6, 0}};
    CHECK(links.build(2, 1) == network(2, 1, expected));
}

TEST_CASE("shape_check: the first error is reported") {
    CHECK_FALSE(shape_check().at_least("a", 1, 1, "1 or more").links("a", 1, 1 << 24).rates({1, 0}).error());
    CHECK(shape_check().at_least("a", 0, 1, "1 or more").rates({0, 0}).error() == argument_error{"a", 0, "1 or more"});
    CHECK(shape_check().at_least("a", (1 << 24) + 1, 1, "1 or more").error());
    CHECK(shape_check().links("a", 3, (1 << 24) + 1).error() == argument_error{"a", 3, "at most 2^24 links"});
    CHECK(shape_check().links("a", 3, checked(INT64_MAX) * 2).error());
    CHECK(shape_check().rates({0, 0}).error() == argument_error{"bandwidth", 0, "1 byte per second or more"});
    CHECK(shape_check().rates({1, -1}, 2).error() == argument_error{"latency", -1, "0 picoseconds or more", 2});
}
