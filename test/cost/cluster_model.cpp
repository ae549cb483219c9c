#include "collsched/cost/cluster_model.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using list = std::vector<std::int64_t>;

TEST_CASE("cluster_model: tree and costs have the same nodes") {
    const lob_model two(list{1, 2}, list{0, 5, 6, 0}, list{0, 7, 8, 0});
    const cluster_model right{topology::switch_tree::flat(2), two};
    CHECK(!right.check());
    CHECK(right.ranks() == 2);
    CHECK(cluster_model{topology::switch_tree::flat(3), two}.check() ==
          argument_error{"nodes", 3, "as many in the tree as in the model"});
    CHECK(cluster_model{}.check() == argument_error{"nodes", 0, "1 or more"});
    const topology::switch_tree wrong_tree(list{}, list{1, 4});
    CHECK(cluster_model{wrong_tree, two}.check() == wrong_tree.check());
    const lob_model wrong_cost(list{1, -2}, list(4), list(4));
    CHECK(cluster_model{topology::switch_tree::flat(2), wrong_cost}.check() == wrong_cost.check());
}

TEST_CASE("cluster_model: ranks are placed on the nodes of a cluster") {
    const cluster_model c{topology::switch_tree::flat(2), {list{1, 2}, list{0, 5, 6, 0}, list{0, 7, 8, 0}}};
    const cluster_model three = c.placed(topology::placement::list(list{1, 0, 1}, 2));
    REQUIRE(!three.check());
    CHECK(three.ranks() == 3);
    CHECK(three.switches.population(1) == 2);
    CHECK(three.cost.latency(0, 1) == 6);
    CHECK(three.cost.latency(0, 2) == 0);
    CHECK(three.cost.overhead(2) == 2);
}
