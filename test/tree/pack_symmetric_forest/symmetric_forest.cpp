#include "collsched/tree/pack_symmetric_forest.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "support/forest_oracle.hpp"
#include "support/symmetric_networks.hpp"

using namespace collsched;
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
