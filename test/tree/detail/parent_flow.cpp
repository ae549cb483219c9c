#include "collsched/tree/detail/parent_flow.hpp"

#include <doctest/doctest.h>

#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/networks.hpp"
#include "support/network_walks.hpp"

using namespace collsched;

using trees::detail::parent_flow;
using trees::detail::parent_share;
using trees::detail::signed_vector;

namespace {

/// A ring of five ranks, whose walks lead from both neighbors.
struct ring_of_five : support::network_walks {
    signed_vector<rank_t> level{0, 1, 2, 2, 1};

    ring_of_five() : support::network_walks(topology::networks::ring(5, {})) {}
};

std::int64_t sum_of(const signed_vector<parent_share>& shares) {
    std::int64_t sum = 0;
    for (const parent_share& one : shares) sum += one.weight;
    return sum;
}

}  // namespace

TEST_CASE("parent_flow: both directions of a ring share the ranks") {
    ring_of_five ring;
    REQUIRE(ring.found);
    parent_flow flow(ring.group, ring.search, ring.limits, ring.level);
    REQUIRE(flow.assign(1, {2, 2}));
    signed_vector<std::int64_t> uses(2, 0);
    for (rank_t v = 1; v < 5; ++v) {
        REQUIRE(flow.shares(v).length() == 1);
        CHECK(flow.shares(v)[0].weight == 1);
        uses[flow.shares(v)[0].walk] += 1;
    }
    CHECK(uses == signed_vector<std::int64_t>{2, 2});
    CHECK(flow.shares(1)[0].walk == flow.shares(2)[0].walk);
    CHECK(flow.shares(3)[0].walk == flow.shares(4)[0].walk);
}

TEST_CASE("parent_flow: parents of equal levels where lower ones do not suffice") {
    ring_of_five ring;
    parent_flow flow(ring.group, ring.search, ring.limits, ring.level);
    CHECK(flow.before(2, 3));
    CHECK_FALSE(flow.before(3, 2));
    CHECK(flow.before(4, 2));
    CHECK(flow.level(3) == 2);
    const std::int64_t forward = [&] {
        REQUIRE(flow.assign(1, {2, 2}));
        return flow.shares(1)[0].walk;
    }();
    signed_vector<std::int64_t> capacity{1, 1};
    capacity[ring.limits.of_walk[forward]] = 3;
    REQUIRE(flow.assign(1, capacity));
    CHECK(flow.shares(3)[0].walk == forward);
    for (rank_t v = 1; v < 5; ++v) CHECK(sum_of(flow.shares(v)) == 1);
}

TEST_CASE("parent_flow: the cut states for how many trees capacities suffice") {
    ring_of_five ring;
    parent_flow flow(ring.group, ring.search, ring.limits, ring.level);
    CHECK_FALSE(flow.assign(4, {6, 6}));
    CHECK(flow.cut() == fraction(3));
    CHECK(flow.assign(3, {6, 6}));
    CHECK_FALSE(flow.assign(1, {4, 0}));
    CHECK(flow.cut() == fraction(0));
    CHECK(flow.assign(2, {4, 4}));
    for (rank_t v = 1; v < 5; ++v) CHECK(sum_of(flow.shares(v)) == 2);
}

using trees::detail::capacity_order;
using trees::detail::hop_levels;
using trees::detail::signed_vector;
using order = signed_vector<rank_t>;

namespace {

order levels_of(const topology::network& net) {
    return hop_levels(topology::detail::make_capacity_graph(net).graph, net.ranks());
}

order capacity_order_of(const topology::network& net) {
    const support::network_walks of(net);
    REQUIRE(of.found);
    return capacity_order(of.group, of.orbits, of.search);
}

}  // namespace

TEST_CASE("parent_flow: levels count ranks, not switches") {
    CHECK(levels_of(topology::networks::ring(6, {})) == order{0, 1, 2, 3, 2, 1});
    CHECK(levels_of(topology::networks::fat_tree(2, {})) == order{0, 1});
    // Each rank of a box has its own common switch: other boxes are entered at the rank of the same number.
    CHECK(levels_of(topology::networks::boxes({.boxes = 2, .ranks_per_box = 3, .nics_per_box = 3, .rails = 3})) ==
          order{0, 1, 1, 1, 2, 2});
}

TEST_CASE("parent_flow: the capacity order fills a row of fast links before the next one") {
    const rank_t sizes[] = {3, 4};
    const topology::network::cable cables[] = {{.bandwidth = 1}, {.bandwidth = 10}};
    const order position = capacity_order_of(topology::networks::torus(sizes, cables));
    for (rank_t r = 0; r < 12; ++r) CHECK(position[r] / 4 == position[r / 4 * 4] / 4);
    CHECK(position[0] == 0);
    CHECK(position[1] == 1);
    CHECK(position[3] == 2);
    CHECK(position[2] == 3);
}

TEST_CASE("parent_flow: equal capacities from earlier ranks come first") {
    // Both directions of a ring stay equally long.
    CHECK(capacity_order_of(topology::networks::ring(6, {})) == order{0, 1, 3, 5, 4, 2});
}

using trees::forest;
using trees::detail::parent_flow;
using trees::detail::parent_trees;
using trees::detail::signed_vector;

namespace {

/// The trees of rank 0 of a ring, for `total` trees of weight 1 whose directions have a capacity.
forest trees_of_ring(rank_t ranks, std::int64_t total, std::int64_t capacity, std::int64_t different) {
    const support::network_walks of(topology::networks::ring(ranks, {}));
    REQUIRE(of.found);
    signed_vector<rank_t> level;
    for (rank_t r = 0; r < ranks; ++r) level.push_back(r < ranks - r ? r : ranks - r);
    parent_flow flow(of.group, of.search, of.limits, level);
    REQUIRE(flow.assign(total, {capacity, capacity}));
    parent_trees trees(of.group, of.search, flow, total);
    CHECK(trees.count() == different);
    return trees.run();
}

}  // namespace

TEST_CASE("parent_trees: one tree if no rank needs two parents") {
    const forest made = trees_of_ring(5, 1, 2, 1);
    CHECK_FALSE(made.check());
    CHECK(made.trees.size() == 1);
    CHECK(made.edges.size() == 4);
    CHECK(made.total == 1);
}

TEST_CASE("parent_trees: a rank with two parents has one in each tree") {
    // Rank 2 is reached from ranks 1 and 3, each in one of two trees.
    const forest made = trees_of_ring(4, 2, 3, 2);
    CHECK_FALSE(made.check());
    REQUIRE(made.trees.size() == 2);
    rank_t parents = 0;
    for (const forest::edge& one : made.edges) parents += one.to == 2 ? one.from : 0;
    CHECK(parents == 4);
}

TEST_CASE("parent_trees: equal trees are one of their weight") {
    const forest made = trees_of_ring(4, 8, 12, 2);
    CHECK_FALSE(made.check());
    REQUIRE(made.trees.size() == 2);
    CHECK(made.trees[0].weight == 4);
    CHECK(made.trees[1].weight == 4);
    CHECK(trees_of_ring(5, 6, 12, 1).trees[0].weight == 6);
}
