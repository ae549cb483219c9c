#include "collsched/topology/switch_tree.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace collsched;
using topology::switch_tree;
using topology::placement;

namespace {

using list = std::vector<rank_t>;

/// Root 0, sites 1 and 2, a cabinet 3 in site 1; nodes 0 and 1 in the cabinet, 2 in site 1, 3 in site 2, 4 at the root.
switch_tree two_sites() { return {list{0, 0, 1}, list{3, 3, 1, 2, 0}}; }

}  // namespace

static_assert([] {
    const rank_t parents[] = {0, 1}, homes[] = {2, 2, 1};
    const switch_tree tree(parents, homes);
    return !tree.check() && tree.levels() == 3 && tree.common_switch(0, 2) == 1 && tree.distance(0, 1) == 2;
}());

TEST_CASE("switch_tree: levels, populations and common switches") {
    const switch_tree tree = two_sites();
    CHECK(!tree.check());
    CHECK(tree.nodes() == 5);
    CHECK(tree.switches() == 4);
    CHECK(tree.levels() == 3);
    for (const auto& [e, level, population] : {std::array<rank_t, 3>{0, 0, 5}, {1, 1, 3}, {2, 1, 1}, {3, 2, 2}}) {
        CHECK(tree.level(e) == level);
        CHECK(tree.population(e) == population);
    }
    CHECK(tree.parent(0) == -1);
    CHECK(tree.common_switch(0, 1) == 3);
    CHECK(tree.common_switch(1, 2) == 1);
    CHECK(tree.common_switch(2, 3) == 0);
    CHECK(tree.common_switch(4, 4) == 0);
    CHECK(tree.distance(0, 0) == 0);
    CHECK(tree.distance(0, 1) == 2);
    CHECK(tree.distance(0, 2) == 3);
    CHECK(tree.distance(0, 3) == 5);
    CHECK(tree.distance(4, 3) == 3);
}

TEST_CASE("switch_tree: cousins meet above the parents of their switches") {
    // Switches 1 and 2 at the root, 3 and 4 at 1, 5 at 2, and a node at each of 3, 4, 5.
    const switch_tree tree(list{0, 0, 1, 1, 2}, list{3, 4, 5});
    CHECK(tree.common_switch(0, 1) == 1);
    CHECK(tree.distance(0, 1) == 4);
    CHECK(tree.common_ancestor(1, 5) == 0);
    for (const rank_t c : {0, 1}) {
        CHECK(tree.common_switch(c, 2) == 0);
        CHECK(tree.common_switch(2, c) == 0);
        CHECK(tree.distance(c, 2) == 6);
    }
}

// In a constant expression, no element outside an array can be read.
static_assert([] {
    const rank_t parents[] = {0, 0, 1}, homes[] = {3, 3, 1, 2, 0}, nodes[] = {3, 0, 3, 4, 1},
                 expected[] = {4, 3, 4, 0, 3};
    const switch_tree tree(parents, homes), ranks = tree.placed(placement::list(nodes, 5));
    bool right = tree.population(0) == 5 && tree.common_switch(1, 4) == 0 && ranks.switches() == 5;
    for (rank_t r = 0; r < 5; ++r) right = right && ranks.home(r) == expected[r];
    return right && tree.by_switch().nodes() == 4 && tree.by_switch().node(4) == 3;
}());

TEST_CASE("switch_tree: check() reports parents that form no tree") {
    const char* smaller = "a switch with a smaller number, 0 or more";
    CHECK(switch_tree(list{0, 2}, list{0}).check() == argument_error{"parents", 2, smaller, 1});
    CHECK(switch_tree(list{-1, 0}, list{}).check() == argument_error{"parents", -1, smaller, 0});
    CHECK(switch_tree(list{1}, list{}).check() == argument_error{"parents", 1, smaller, 0});
    CHECK(switch_tree(list{0}, list{0, 2}).check() == argument_error{"homes", 2, "a switch", 1});
    CHECK(switch_tree(list{}, list{-1, 0}).check() == argument_error{"homes", -1, "a switch", 0});
    CHECK(!switch_tree().check());
    CHECK(switch_tree::flat(3).levels() == 1);
    CHECK(switch_tree::flat(3).distance(0, 2) == 2);
    CHECK(switch_tree::flat(3) == switch_tree(list{}, list{0, 0, 0}));
    CHECK(switch_tree::flat(3) != switch_tree::flat(4));
    CHECK(switch_tree(list{0, 0}, list{1}) != switch_tree(list{0, 1}, list{1}));
    CHECK(switch_tree(list{0, 0}, list{1}) != switch_tree(list{0, 0}, list{2}));
    CHECK(switch_tree(argument_error{"a", 1, "b"}) != switch_tree(argument_error{"a", 2, "b"}));
}

TEST_CASE("switch_tree: ranks take the places of their nodes, and ranks of a node meet there") {
    const switch_tree ranks = two_sites().placed(placement::list(list{3, 0, 3, 4, 1}, 5));
    CHECK(!ranks.check());
    CHECK(ranks.nodes() == 5);
    CHECK(ranks.switches() == 5);
    CHECK(ranks.common_switch(0, 2) == 4);
    CHECK(ranks.parent(4) == 2);
    CHECK(ranks.home(1) == 3);
    CHECK(ranks.common_switch(1, 4) == 3);
    CHECK(ranks.home(3) == 0);
    CHECK(ranks.population(1) == 2);
    CHECK(two_sites().placed(placement::block(5, 5)) == two_sites());
}

TEST_CASE("switch_tree: nodes are placed on their switches, numbered in the order of their first node") {
    const placement switches = switch_tree(list{0, 0, 0}, list{3, 1, 3, 0, 1}).by_switch();
    CHECK(switches == placement::list(list{0, 1, 0, 2, 1}, 3));
    CHECK(switch_tree::flat(4).by_switch() == placement::block(4, 1));
    CHECK(switch_tree().by_switch().nodes() == 0);
    static_assert(switch_tree::flat(2).by_switch().node(1) == 0);
}

TEST_CASE("switch_tree: a placement on other nodes gives a wrong tree") {
    const auto wrong = [](rank_t nodes) {
        return argument_error{"nodes", nodes, "a placement on the nodes of the tree"};
    };
    CHECK(two_sites().placed(placement::block(3, 7)).check() == wrong(7));
    CHECK(two_sites().placed(placement::list(list{0, 7}, 5)).check() == wrong(5));
    CHECK(switch_tree(list{5}, list{0}).placed(placement::block(1, 1)).check() == wrong(1));
    CHECK(two_sites().placed(placement::block(3, 7)).switches() == 1);
}
