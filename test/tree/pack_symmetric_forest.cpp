#include "collsched/tree/pack_symmetric_forest.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "support/forest_oracle.hpp"
#include "support/symmetric_networks.hpp"

using namespace collsched;

using support::symmetric_shape;
using topology::network;
using trees::pack_symmetric_forest;
using trees::packed_symmetric_forest;

namespace forest_oracle = support::forest_oracle;

namespace {

/// The bound by a max flow to each rank, without the use of symmetry.
fraction bound_of(const network& net) {
    const topology::detail::capacity_graph graph = topology::detail::make_capacity_graph(net);
    const std::vector<rank_t> roots = support::ranks_of(net);
    return topology::detail::make_bound(graph, topology::detail::cut_ratio_search(graph, roots).run(), net.ranks())
        .bandwidth;
}

/// Checks an expanded forest by its definition, and its loads.
void check_forest(const network& net, const packed_symmetric_forest& packed) {
    const trees::forest all = packed.result.expanded();
    CHECK_FALSE(all.check());
    CHECK(forest_oracle::first_fault(net, all, support::ranks_of(net)) == "");
    CHECK(forest_oracle::first_detour(all) == "");
    CHECK(forest_oracle::rate_of(all) == packed.bandwidth);
    CHECK(all.edges.size() == packed.result.expanded_edges());
    auto loads = forest_oracle::loads(all);
    const owned_array<std::int64_t> stated = packed.result.loads(net);
    std::int64_t next = 0;
    for (const network::link& one : net.links()) CHECK(loads[{one.from, one.to}] == stated[next++]);
}

/// Whether the load of every link is within its bandwidth, without expansion.
bool fits(const network& net, const packed_symmetric_forest& packed) {
    const auto capacities = forest_oracle::capacities(net);
    const owned_array<std::int64_t> loads = packed.result.loads(net);
    const fraction unit = packed.result.first.unit;
    std::int64_t next = 0;
    for (const network::link& one : net.links())
        if (forest_oracle::wide{loads[next++]} * unit.numerator() >
            forest_oracle::wide{capacities.at({one.from, one.to})} * unit.denominator())
            return false;
    return true;
}

/// Checks that a network is packed with its bound, in trees of a depth.
void check_bound(const network& net, rank_t depth) {
    const packed_symmetric_forest packed = pack_symmetric_forest(net);
    REQUIRE_FALSE(packed.error);
    CHECK(packed.bandwidth == packed.bound);
    CHECK(packed.result.depth() == depth);
    CHECK_FALSE(packed.result.first.check());
    CHECK(fits(net, packed));
    if (packed.result.expanded_edges() < 100'000) {
        CHECK(packed.bound == bound_of(net));
        check_forest(net, packed);
    }
}

}  // namespace

TEST_CASE("pack_symmetric_forest: drawn networks are packed within capacities, all but a few with the bound") {
    int packed_count = 0, attained = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed)
        for (const symmetric_shape shape : {symmetric_shape::torus, symmetric_shape::boxes, symmetric_shape::leaf_spine,
                                            symmetric_shape::circulant, symmetric_shape::rings_at_switch}) {
            CAPTURE(seed);
            const network net = support::symmetric_network(seed, shape);
            const packed_symmetric_forest packed = pack_symmetric_forest(net);
            REQUIRE_FALSE(packed.error);
            CHECK(packed.bound == bound_of(net));
            CHECK_FALSE(packed.bound < packed.bandwidth);
            check_forest(net, packed);
            if (shape != symmetric_shape::circulant) CHECK(packed.bandwidth == packed.bound);
            ++packed_count, attained += packed.bandwidth == packed.bound ? 1 : 0;
        }
    CHECK(packed_count == 600);
    CHECK(attained > 570);
    CHECK(attained < 600);
}

TEST_CASE("pack_symmetric_forest: tori, in trees as deep as their diameters") {
    const rank_t small[] = {3, 4, 5}, cube[] = {8, 8, 8}, large[] = {16, 16, 16};
    check_bound(topology::networks::torus(small, topology::network::cable{.bandwidth = 50'000'000'000}), 5);
    check_bound(topology::networks::torus(cube, topology::network::cable{.bandwidth = 50'000'000'000}), 12);
    check_bound(topology::networks::torus(large, topology::network::cable{.bandwidth = 50'000'000'000}), 24);
    check_bound(topology::networks::hypercube(10, topology::network::cable{.bandwidth = 3}), 10);
    check_bound(topology::networks::fully_connected(64, topology::network::cable{.bandwidth = 3}), 1);
    check_bound(topology::networks::ring(2, {}), 1);
}

TEST_CASE("pack_symmetric_forest: boxes and trees of switches") {
    topology::network::boxes_shape shape{.boxes = 128,
                                         .ranks_per_box = 8,
                                         .nics_per_box = 8,
                                         .rails = 8,
                                         .rank_cable = {.bandwidth = 300},
                                         .nic_cable = {.bandwidth = 25},
                                         .rail_cable = {.bandwidth = 25}};
    check_bound(topology::networks::boxes(shape), 2);
    shape.nics_per_box = 4, shape.rails = 2;
    check_bound(topology::networks::boxes(shape), 2);
    shape.boxes = 4;
    check_bound(topology::networks::boxes(shape), 2);
    check_bound(topology::networks::boxes({.boxes = 3, .ranks_per_box = 2, .nics_per_box = 8, .rails = 2}), 1);
    check_bound(topology::networks::fat_tree(8, {.bandwidth = 7}), 1);
    check_bound(topology::networks::leaf_spine({.leaves = 8,
                                                .ranks_per_leaf = 8,
                                                .spines = 4,
                                                .rank_cable = {.bandwidth = 9},
                                                .uplink_cable = {.bandwidth = 9}}),
                2);
}

TEST_CASE("pack_symmetric_forest: errors") {
    const auto error_of = [](const network& net) {
        const packed_symmetric_forest packed = pack_symmetric_forest(net);
        CHECK(packed.bandwidth == fraction(0));
        CHECK(packed.bound == fraction(0));
        CHECK(packed.result.first.trees.empty());
        return packed.error;
    };
    const rank_t sizes[] = {3, 4};
    const network mesh = topology::networks::mesh(sizes, topology::network::cable{});
    const network torus = topology::networks::torus(sizes, topology::network::cable{});
    const argument_error none{"ranks", 12, "ranks that translations of a torus map to each other"};
    CHECK(error_of(mesh) == none);
    for (std::size_t link = 0; link < torus.links().size(); ++link)
        CHECK(error_of(support::with_faster_link(torus, link)) == none);
    CHECK(error_of(network(argument_error{"x", 1, "y"})) == argument_error{"x", 1, "y"});
    CHECK(error_of(network(1, 0, {})) == argument_error{"ranks", 1, "2 or more"});
    CHECK(error_of(network(2, 0, {})).argument == std::string_view("vertex"));
    const std::vector<network::link> large{{0, 1, INT64_MAX}, {1, 0, INT64_MAX}, {1, 0, 1}, {0, 1, 1}};
    CHECK(error_of(network(2, 0, large)).argument == std::string_view("ranks"));
    std::vector<network::link> wide;
    for (rank_t i = 0; i < 3; ++i)
        wide.push_back({i, (i + 1) % 3, INT64_MAX}), wide.push_back({i, (i + 2) % 3, INT64_MAX - 1});
    CHECK(error_of(network(3, 0, wide)).argument == std::string_view("bandwidth"));
}

using trees::forest;
using trees::symmetric_forest;

namespace {

const topology::network& at_one_switch() {
    static const topology::network net =
        topology::networks::boxes({.ranks_per_box = 3, .nics_per_box = 0, .rank_cable = {.bandwidth = 10}});
    return net;
}

/// The chain 0, 1, 2 over switch 3, and its images. Four units of each link carry the trees of all ranks.
symmetric_forest chains(std::int64_t weight) {
    symmetric_forest made;
    made.first.ranks = 3, made.first.total = weight, made.first.unit = fraction(5, weight);
    made.first.trees = owned_array<forest::tree>(1);
    made.first.trees[0] = {0, weight, 0, 2};
    made.first.edges = owned_array<forest::edge>(2);
    made.first.edges[0] = {0, 1, 0, 3}, made.first.edges[1] = {1, 2, 3, 6};
    const std::vector<rank_t> vertices{0, 3, 1, 1, 3, 2};
    made.first.vertices = owned_array<rank_t>(std::span<const rank_t>(vertices));
    made.group = topology::find_translations(at_one_switch());
    return made;
}

}  // namespace

TEST_CASE("symmetric_forest: the expanded forest has the trees of all ranks") {
    const symmetric_forest one = chains(4);
    CHECK(one.expanded_edges() == 6);
    const forest all = one.expanded();
    CHECK_FALSE(all.check());
    CHECK(support::forest_oracle::first_fault(at_one_switch(), all, support::ranks_of(at_one_switch())) == "");
    REQUIRE(all.trees.size() == 3);
    CHECK(all.trees[2] == forest::tree{2, 4, 4, 6});
    CHECK(all.edges[4] == forest::edge{2, 0, 12, 15});
    CHECK(all.vertices[13] == 3);
    CHECK(all.unit == fraction(5, 4));
}

TEST_CASE("symmetric_forest: loads of all links, also of parallel ones") {
    for (const std::int64_t load : chains(4).loads(at_one_switch())) CHECK(load == 8);
    const auto links = at_one_switch().links();
    std::vector<topology::network::link> twice(links.begin(), links.end());
    twice.insert(twice.end(), links.begin(), links.end());
    const owned_array<std::int64_t> loads = chains(4).loads(topology::network(3, 1, twice));
    CHECK(loads.size() == 12);
    for (const std::int64_t load : loads) CHECK(load == 8);
    for (const std::int64_t load : chains(std::int64_t{1} << 62).loads(at_one_switch())) CHECK(load == INT64_MAX);
}

TEST_CASE("symmetric_forest: depth") {
    CHECK(chains(1).depth() == 2);
    symmetric_forest star = chains(1);
    star.first.edges[1].from = 0, star.first.vertices[3] = 0;
    CHECK(star.depth() == 1);
    CHECK(symmetric_forest{}.depth() == 0);
}

using topology::network;
using trees::packed_symmetric_forest;
using trees::detail::symmetric_packing;

namespace {

/// A ring of 11 ranks with links over 1, 3 and 10 ranks, for which trees of one order of the ranks are not enough.
network three_distances() {
    std::vector<network::link> links;
    for (rank_t i = 0; i < 11; ++i) {
        links.push_back({i, (i + 3) % 11, 4});
        links.push_back({i, (i + 10) % 11, 10});
        links.push_back({i, (i + 1) % 11, 4});
    }
    return {11, 0, links};
}

}  // namespace

TEST_CASE("symmetric_packing: a bandwidth below the bound is a result only on request") {
    const network net = three_distances();
    const topology::network::translations group = topology::find_translations(net);
    REQUIRE(group.ranks() == 11);
    const packed_symmetric_forest below = symmetric_packing(net, group).run(true);
    REQUIRE_FALSE(below.error);
    CHECK(below.bound == fraction(99, 5));
    CHECK(below.bandwidth == fraction(88, 5));
    CHECK_FALSE(below.result.first.check());
    const packed_symmetric_forest refused = symmetric_packing(net, group).run(false);
    CHECK(refused.error.argument == std::string_view("bandwidth"));
    CHECK(refused.bandwidth == fraction(0));
    CHECK(refused.result.first.trees.empty());
}

TEST_CASE("symmetric_packing: the order of capacities attains bounds that levels do not") {
    // Slow links over 2 ranks would shorten the paths along fast ones.
    std::vector<network::link> links;
    for (rank_t i = 0; i < 8; ++i) links.push_back({i, (i + 1) % 8, 6}), links.push_back({i, (i + 2) % 8, 1});
    const network net(8, 0, links);
    const packed_symmetric_forest packed = symmetric_packing(net, topology::find_translations(net)).run(false);
    REQUIRE_FALSE(packed.error);
    CHECK(packed.bandwidth == fraction(8));
    CHECK(packed.result.depth() > 4);
}

TEST_CASE("symmetric_packing: more trees where one link has a fraction of a tree") {
    // Two ranks at a switch, of which each link is an orbit of its own.
    const std::vector<network::link> links{{0, 2, 3}, {2, 0, 3}, {1, 3, 3}, {3, 1, 3}, {2, 3, 1}, {3, 2, 1}};
    const network net(2, 2, links);
    const packed_symmetric_forest packed = symmetric_packing(net, topology::find_translations(net)).run(false);
    REQUIRE_FALSE(packed.error);
    CHECK(packed.bandwidth == fraction(2));
}
