#include "collsched/tree/pack_symmetric_forest.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "collsched/topology/networks.hpp"

using namespace collsched;
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
