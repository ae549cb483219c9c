#include "collsched/topology/machine_tree.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace collsched;
using topology::machine_tree;
using topology::placement;

namespace {

using list = std::vector<rank_t>;

/// Root 0, sites 1 and 2, a cabinet 3 in site 1; computers 0 and 1 in the cabinet, 2 in site 1, 3 in site 2, 4 at the root.
machine_tree two_sites() { return {list{0, 0, 1}, list{3, 3, 1, 2, 0}}; }

std::string told(const error& e) { return e ? e.argument : ""; }

}  // namespace

static_assert([] {
    const rank_t parents[] = {0, 1}, homes[] = {2, 2, 1};
    const machine_tree tree(parents, homes);
    return !tree.check() && tree.levels() == 3 && tree.meeting(0, 2) == 1 && tree.distance(0, 1) == 2;
}());

TEST_CASE("levels, populations and meeting places") {
    const machine_tree tree = two_sites();
    CHECK(!tree.check());
    CHECK(tree.computers() == 5);
    CHECK(tree.equipment() == 4);
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

TEST_CASE("what is no tree is told") {
    CHECK(machine_tree(list{0, 2}, list{0}).check().index == 1);
    CHECK(told(machine_tree(list{-1}, list{}).check()) == "parents");
    CHECK(told(machine_tree(list{0}, list{0, 2}).check()) == "homes");
    CHECK(machine_tree(list{}, list{-1}).check().value == -1);
    CHECK(!machine_tree().check());
    CHECK(machine_tree::flat(3).distance(0, 2) == 2);
    CHECK(machine_tree::flat(3) == machine_tree(list{}, list{0, 0, 0}));
    CHECK(machine_tree::flat(3) != machine_tree::flat(4));
}

TEST_CASE("ranks take the places of their computers; those that share one meet there") {
    const machine_tree ranks = two_sites().placed(placement::list(list{3, 0, 3, 4, 1}, 5));
    CHECK(!ranks.check());
    CHECK(ranks.computers() == 5);
    CHECK(ranks.equipment() == 5);
    CHECK(ranks.meeting(0, 2) == 4);
    CHECK(ranks.parent(4) == 2);
    CHECK(ranks.home(1) == 3);
    CHECK(ranks.meeting(1, 4) == 3);
    CHECK(ranks.home(3) == 0);
    CHECK(ranks.population(1) == 2);
    CHECK(two_sites().placed(placement::block(5, 5)) == two_sites());
}

TEST_CASE("a placement on other computers gives a wrong tree") {
    CHECK(told(two_sites().placed(placement::block(3, 7)).check()) == "computers");
    CHECK(two_sites().placed(placement::block(3, 7)).equipment() == 1);
    CHECK(told(machine_tree(list{5}, list{}).placed(placement::block(1, 1)).check()) == "computers");
}
