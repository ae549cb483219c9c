#include "collsched/simulate/fat_tree_network.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("fat_tree_network: each cable is two links") {
    const link_network net = fat_tree_network({4, 4}, {1, 2}, {5, 7});
    CHECK(net.nodes() == 16);
    CHECK(net.links().size() == 48);
    CHECK(net.route(1, 4) == detail::link_route{2, 32, 37, 9});
    CHECK(net.cost(net.route(1, 4)) == lob_model::link_cost{20, 7});
    CHECK(!net.check());
}

TEST_CASE("fat_tree_network: parallel cables are links of their own") {
    const link_network net = fat_tree_network({4, 4}, {1, 2}, {5, 7}, {1, 2});
    CHECK(net.links().size() == 64);
    CHECK(net.route(0, 6) == detail::link_route{0, 34, 41, 13});
}

TEST_CASE("fat_tree_network: wrong numbers give a network that reports them") {
    const link_network net = fat_tree_network({4, 0}, {1, 1}, {5, 7});
    CHECK(net.nodes() == 0);
    CHECK(net.check() == detail::fat_tree({4, 0}, {1, 1}).check());
    CHECK(fat_tree_network({4, 4}, {1}, {}).check());
}
