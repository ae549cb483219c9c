#include "collsched/topology/switch_tree.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace collsched;
using topology::switch_tree;
using topology::placement;

namespace {

using list = std::vector<rank_t>;

/// Root 0, sites 1 and 2, a cabinet 3 in site 1; nodes 0 and 1 in the cabinet, 2 in site 1, 3 in site 2, 4 at the root.
switch_tree two_sites() { return {list{0, 0, 1}, list{3, 3, 1, 2, 0}}; }

std::string error_of(const argument_error& e) { return e ? e.argument : ""; }

}  // namespace

static_assert([] {
    const rank_t parents[] = {0, 1}, homes[] = {2, 2, 1};
    const switch_tree tree(parents, homes);
    return !tree.check() && tree.levels() == 3 && tree.meeting(0, 2) == 1 && tree.distance(0, 1) == 2;
}());

TEST_CASE("switch_tree: levels, populations and meeting places") {
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
    CHECK(tree.meeting(0, 1) == 3);
    CHECK(tree.meeting(1, 2) == 1);
    CHECK(tree.meeting(2, 3) == 0);
    CHECK(tree.meeting(4, 4) == 0);
    CHECK(tree.distance(0, 0) == 0);
    CHECK(tree.distance(0, 1) == 2);
    CHECK(tree.distance(0, 2) == 3);
    CHECK(tree.distance(0, 3) == 5);
    CHECK(tree.distance(4, 3) == 3);
}

TEST_CASE("switch_tree: check() reports parents that form no tree") {
    CHECK(switch_tree(list{0, 2}, list{0}).check().index == 1);
    CHECK(error_of(switch_tree(list{-1}, list{}).check()) == "parents");
    CHECK(error_of(switch_tree(list{0}, list{0, 2}).check()) == "homes");
    CHECK(switch_tree(list{}, list{-1}).check().value == -1);
    CHECK(!switch_tree().check());
    CHECK(switch_tree::flat(3).distance(0, 2) == 2);
    CHECK(switch_tree::flat(3) == switch_tree(list{}, list{0, 0, 0}));
    CHECK(switch_tree::flat(3) != switch_tree::flat(4));
}

TEST_CASE("switch_tree: ranks take the places of their nodes, and ranks of a node meet there") {
    const switch_tree ranks = two_sites().placed(placement::list(list{3, 0, 3, 4, 1}, 5));
    CHECK(!ranks.check());
    CHECK(ranks.nodes() == 5);
    CHECK(ranks.switches() == 5);
    CHECK(ranks.meeting(0, 2) == 4);
    CHECK(ranks.parent(4) == 2);
    CHECK(ranks.home(1) == 3);
    CHECK(ranks.meeting(1, 4) == 3);
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
    CHECK(error_of(two_sites().placed(placement::block(3, 7)).check()) == "nodes");
    CHECK(two_sites().placed(placement::block(3, 7)).switches() == 1);
    CHECK(error_of(switch_tree(list{5}, list{}).placed(placement::block(1, 1)).check()) == "nodes");
}
