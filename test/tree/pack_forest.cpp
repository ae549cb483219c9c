#include "collsched/tree/pack_forest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "support/brief.hpp"
#include "support/forest_oracle.hpp"
#include "support/symmetric_networks.hpp"

using namespace collsched;

using topology::network;
using topology::throughput_bound;
using trees::pack_forest;
using trees::packed_forest;

namespace {

std::vector<rank_t> all_ranks(rank_t ranks) {
    std::vector<rank_t> all;
    for (rank_t r = 0; r < ranks; ++r) all.push_back(r);
    return all;
}

/// A random network, with equal bandwidth in both directions of each cable or with links of their own.
network random_network(std::uint64_t seed, rank_t switches, bool cables) {
    collsched::detail::splitmix64 random(seed);
    const rank_t ranks = random.between(2, 7), vertices = ranks + switches;
    std::vector<network::link> links;
    const auto add = [&](rank_t from, rank_t to) {
        if (from == to) return;
        const std::int64_t bandwidth = 5 * random.between(1, 12);
        links.push_back({from, to, bandwidth});
        if (cables) links.push_back({to, from, bandwidth});
    };
    for (rank_t v = 0; v < vertices; ++v) add(v, (v + 1) % vertices);
    for (std::int64_t i = random.between(0, 2 * vertices); i > 0; --i)
        add(random.between(0, vertices - 1), random.between(0, vertices - 1));
    return {ranks, switches, links};
}

/// Checks that a forest is valid, fits into the network, and has this algorithmic bandwidth.
void check_forest(const network& net, const std::vector<rank_t>& roots, const packed_forest& packed) {
    CHECK_FALSE(packed.result.check());
    CHECK(support::forest_oracle::first_fault(net, packed.result, roots) == "");
    CHECK(support::forest_oracle::rate_of(packed.result) == packed.bandwidth);
}

/// Packs trees of all ranks and of rank 0. Counts those that attain the bound, all of them if `must`.
int count_attained(const network& net, bool must, std::int64_t total = 0) {
    int attained = 0;
    for (const collective what : {collective::allgather, collective::broadcast}) {
        const std::vector<rank_t> roots = all_ranks(what == collective::allgather ? net.ranks() : 1);
        const packed_forest packed = pack_forest(net, roots, total);
        const fraction bound = throughput_bound(net, what).bandwidth;
        REQUIRE_FALSE(packed.error);
        check_forest(net, roots, packed);
        CHECK_FALSE(bound < packed.bandwidth);
        if (must) CHECK(packed.bandwidth == bound);
        attained += packed.bandwidth == bound ? 1 : 0;
    }
    return attained;
}

}  // namespace

TEST_CASE("pack_forest: the bound is attained between ranks, whatever their links") {
    for (std::uint64_t seed = 0; seed < 200; seed += support::one_of())
        count_attained(random_network(seed, 0, false), true);
}

TEST_CASE("pack_forest: the bound is attained by cables and switches") {
    for (std::uint64_t seed = 0; seed < 300; seed += support::one_of())
        count_attained(random_network(seed, 1 + static_cast<rank_t>(seed % 5), true), true);
}

TEST_CASE("pack_forest: no bandwidth above the bound where switches are not balanced") {
    int attained = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) attained += count_attained(random_network(seed, 2, false), false);
    CHECK(attained > 100);
    CHECK(attained < 400);
}

TEST_CASE("pack_forest: a given number of trees has at most the bandwidth of more") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const network net = random_network(seed, static_cast<rank_t>(seed % 4), true);
        count_attained(net, false, 1);
        count_attained(net, false, 3);
        const std::vector<rank_t> roots = all_ranks(net.ranks());
        const packed_forest best = pack_forest(net, roots), same = pack_forest(net, roots, best.result.total);
        CHECK(same.bandwidth == best.bandwidth);
        CHECK(same.result.total == best.result.total);
    }
}

TEST_CASE("pack_forest: ranks at one switch exchange their data in one step") {
    std::vector<network::link> links;
    for (rank_t r = 0; r < 4; ++r) links.push_back({r, 4, 60}), links.push_back({4, r, 60});
    const network net(4, 1, links);
    const packed_forest packed = pack_forest(net, all_ranks(4));
    REQUIRE_FALSE(packed.error);
    CHECK(packed.bandwidth == fraction(80));
    CHECK(packed.result.total == 1);
    CHECK(packed.result.unit == fraction(20));
    CHECK(packed.result.trees.size() == 4);
    for (const trees::forest::tree& one : packed.result.trees)
        for (const trees::forest::edge& edge : packed.result.edges_of(one)) {
            CHECK(edge.from == one.root);
            CHECK(packed.result.path(edge).size() == 3);
        }
}

TEST_CASE("pack_forest: a switch that would have to copy") {
    // Rank 0 sends by switch 3 to ranks 1 and 2, 6 bytes per second each. The cuts allow 6, forwarding 3.
    const std::vector<network::link> links{{0, 3, 6}, {3, 1, 6}, {3, 2, 6}};
    const network net(3, 1, links);
    const std::vector<rank_t> roots{0};
    const packed_forest packed = pack_forest(net, roots);
    REQUIRE_FALSE(packed.error);
    CHECK(throughput_bound(net, collective::broadcast).bandwidth == fraction(6));
    CHECK(packed.bandwidth == fraction(3));
    check_forest(net, roots, packed);
}

TEST_CASE("pack_forest: rates far below the bound are found within 1/32") {
    // One link into a switch, and links to `ranks - 1` others: the cuts allow 6, forwarding 6 / (ranks - 1).
    for (const rank_t ranks : {4, 33, 34, 100, 300}) {
        std::vector<network::link> links{{0, ranks, 6}};
        for (rank_t r = 1; r < ranks; ++r) links.push_back({ranks, r, 6});
        const network net(ranks, 1, links);
        const std::vector<rank_t> roots{0};
        const packed_forest packed = pack_forest(net, roots);
        REQUIRE_FALSE(packed.error);
        const double part = packed.bandwidth.value() / 6 * static_cast<double>(ranks - 1);
        CHECK(part <= 1);
        CHECK(part >= 31. / 32);
        check_forest(net, roots, packed);
    }
}

TEST_CASE("pack_forest: parallel links carry as much as one link of their sum") {
    const std::vector<network::link> two{{0, 1, 7}, {0, 1, 8}, {1, 2, 15}, {2, 0, 15}, {1, 0, 15}};
    const std::vector<network::link> one{{0, 1, 15}, {1, 2, 15}, {2, 0, 15}, {1, 0, 15}};
    for (std::int64_t total = 0; total < 8; ++total) {
        const packed_forest split = pack_forest(network(3, 0, two), all_ranks(3), total);
        REQUIRE_FALSE(split.error);
        CHECK(split.bandwidth == pack_forest(network(3, 0, one), all_ranks(3), total).bandwidth);
    }
}

TEST_CASE("pack_forest: networks with translations have shallow trees, and others attain the bound too") {
    const rank_t sizes[] = {6, 6, 6};
    const network torus = topology::networks::torus(sizes, topology::network::cable{.bandwidth = 10});
    const packed_forest packed = pack_forest(torus, all_ranks(216));
    REQUIRE_FALSE(packed.error);
    check_forest(torus, all_ranks(216), packed);
    CHECK(packed.bandwidth == fraction(60 * 216, 215));
    for (const trees::forest::tree& one : packed.result.trees)
        CHECK(support::forest_oracle::depth_of(packed.result, one).edges == 9);
    const rank_t square[] = {4, 4};
    for (const std::size_t link : {std::size_t{0}, std::size_t{7}, std::size_t{30}}) {
        const network other = support::with_faster_link(
            topology::networks::torus(square, topology::network::cable{.bandwidth = 10}), link);
        CHECK(topology::find_translations(other).ranks() == 0);
        count_attained(other, true);
    }
    for (std::uint64_t seed = 0; seed < 60; ++seed)
        for (const support::symmetric_shape shape :
             {support::symmetric_shape::boxes, support::symmetric_shape::circulant})
            count_attained(support::symmetric_network(seed, shape), true);
}

TEST_CASE("pack_forest: errors") {
    const std::vector<network::link> links{{0, 1}, {1, 0}};
    const network net(2, 0, links);
    const auto error_of = [](const network& one, std::vector<rank_t> roots, std::int64_t total = 0) {
        const packed_forest packed = pack_forest(one, roots, total);
        CHECK(packed.bandwidth == fraction(0));
        CHECK(packed.result.trees.empty());
        return packed.error;
    };
    CHECK(error_of(network(argument_error{"x", 1, "y"}), {0}) == argument_error{"x", 1, "y"});
    CHECK(error_of(network(1, 0, {}), {0}) == argument_error{"ranks", 1, "2 or more"});
    CHECK(error_of(net, {}) == argument_error{"roots", 0, "1 or more"});
    CHECK(error_of(net, {1, 1}) == argument_error{"roots", 1, "ranks in ascending order", 1});
    CHECK(error_of(net, {0, 2}).index == 1);
    CHECK(error_of(net, {0, 1}, -1) == argument_error{"trees_per_root", -1, "0 to 2^31"});
    CHECK(error_of(net, {0, 1}, (std::int64_t{1} << 31) + 1).argument == std::string_view("trees_per_root"));
    CHECK_FALSE(pack_forest(net, all_ranks(2), std::int64_t{1} << 31).error);
    CHECK(error_of(network(3, 0, links), {0}).argument == std::string_view("vertex"));
    const std::vector<network::link> large{{0, 1, INT64_MAX}, {1, 0, INT64_MAX - 1}};
    CHECK(error_of(network(2, 0, large), {0, 1}).argument == std::string_view("bandwidth"));
    // 19,999 cables: 20,000 ranks with a flow of 39,998 numbers each are 6 GB.
    const rank_t line[] = {20'000};
    CHECK(error_of(topology::networks::mesh(line, topology::network::cable{}), {0}) ==
          argument_error{"ranks", 20'000, "at most 2^29 divided by the number of links"});
    const rank_t many[] = {91, 91};
    CHECK(error_of(topology::networks::torus(many, topology::network::cable{}), all_ranks(91 * 91)) ==
          argument_error{"ranks", 91 * 91, "trees of at most 2^26 edges; see pack_symmetric_forest()"});
}

using topology::network;
using topology::detail::capacity_graph;
using topology::detail::make_capacity_graph;
using trees::detail::merge_parallel;

TEST_CASE("merge_parallel: one arc per pair of vertices, without a common divisor") {
    const std::vector<network::link> links{{0, 1, 10}, {1, 0, 20}, {0, 1, 30}, {0, 2, 60}, {2, 0, 10}, {2, 0, 10}};
    capacity_graph net = make_capacity_graph(network(3, 0, links));
    CHECK(net.unit == 10);
    CHECK_FALSE(merge_parallel(net));
    CHECK(net.unit == 20);
    REQUIRE(net.graph.arcs() == 4);
    const std::int64_t expected[][3] = {{0, 1, 2}, {0, 2, 3}, {1, 0, 1}, {2, 0, 1}};
    for (std::int64_t i = 0; i < 4; ++i) {
        CHECK(net.graph[i].from == expected[i][0]);
        CHECK(net.graph[i].to == expected[i][1]);
        CHECK(net.graph[i].capacity == expected[i][2]);
    }
}

TEST_CASE("merge_parallel: no links, and a sum that overflows") {
    capacity_graph none = make_capacity_graph(network(2, 0, {}));
    CHECK_FALSE(merge_parallel(none));
    CHECK(none.graph.arcs() == 0);
    const std::vector<network::link> links{{0, 1, INT64_MAX}, {0, 1, INT64_MAX - 1}};
    capacity_graph large = make_capacity_graph(network(2, 0, links));
    CHECK(merge_parallel(large) ==
          argument_error{"bandwidth", 1, "bandwidths whose sum, divided by this one, is below 2^63"});
}
