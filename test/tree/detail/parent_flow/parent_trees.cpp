#include "collsched/tree/detail/parent_flow.hpp"

#include <doctest/doctest.h>

#include "collsched/topology/networks.hpp"
#include "support/network_walks.hpp"

using namespace collsched;
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
