#include "collsched/topology/placement.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace collsched;

using topology::placement;

namespace {

std::vector<rank_t> seats(const placement& where) {
    std::vector<rank_t> all;
    for (rank_t r = 0; r < where.ranks(); ++r) all.push_back(where.node(r));
    return all;
}

using list = std::vector<rank_t>;

}  // namespace

static_assert(placement::block(5, 2).node(3) == 1 && placement::cyclic(5, 2).node(3) == 1);

TEST_CASE("placement: block, cyclic and list placements") {
    CHECK(seats(placement::block(8, 3)) == list{0, 0, 0, 1, 1, 1, 2, 2});
    CHECK(seats(placement::block(3, 8)) == list{0, 1, 2});
    CHECK(seats(placement::block(6, 4)) == list{0, 0, 1, 1, 2, 3});
    CHECK(seats(placement::cyclic(8, 3)) == list{0, 1, 2, 0, 1, 2, 0, 1});
    CHECK(seats(placement::list(list{1, 0, 0, 1}, 2)) == list{1, 0, 0, 1});
    const auto residents = placement::block(8, 3).residents();
    CHECK(residents.size() == 3);
    CHECK(residents[0] == 3);
    CHECK(residents[2] == 2);
    CHECK(placement::cyclic(4, 4) == placement::block(4, 4));
}

TEST_CASE("placement: under() runs rank r on the node of its place's rank") {
    const placement nodes = placement::list(list{2, 0, 1}, 3);
    const placement ranks = nodes.under(placement::list(list{1, 1, 0, 2}, 3));
    CHECK(seats(ranks) == list{0, 0, 2, 1});
    CHECK(ranks.nodes() == 3);
    const argument_error no_place = nodes.under(placement::list(list{0, 3}, 4)).check();
    CHECK(std::string(no_place.argument) == "placement");
    CHECK(no_place.index == 1);
    CHECK(no_place.value == -1);
    static_assert(placement::block(3, 3).under(placement::cyclic(4, 4)).check().index == 3);
    const placement wrong = placement::list(list{0, 5}, 2);
    CHECK(nodes.under(wrong).check() == wrong.check());
    CHECK(seats(nodes.under(placement::list(list{2}, 3))) == list{1});
}

TEST_CASE("placement: invalid placements are reported") {
    for (const rank_t ranks : {0, -3}) {
        CHECK(placement::block(ranks, 3).check() == argument_error{"ranks", 0, "1 or more"});
        CHECK(placement::cyclic(ranks, 3).check() == argument_error{"ranks", 0, "1 or more"});
    }
    for (const rank_t nodes : {0, -3}) {
        CHECK(placement::block(3, nodes).check() == argument_error{"nodes", nodes, "1 or more"});
        CHECK(placement::cyclic(3, nodes).check() == argument_error{"nodes", nodes, "1 or more"});
    }
    CHECK(placement::list(list{0, 2}, 2).check() == argument_error{"placement", 2, "a node, 0 to nodes-1", 1});
    CHECK(placement::list(list{-1, 0}, 2).check() == argument_error{"placement", -1, "a node, 0 to nodes-1", 0});
    CHECK(!placement::list(list{0, 1}, 2).check());
    CHECK(!placement::block(3, 1).check());
    CHECK(placement().ranks() == 0);
    CHECK(placement().nodes() == 0);
}

TEST_CASE("placement: describe() gives the number of ranks, then the node of each rank") {
    list words;
    placement::list(list{1, 0, 2}, 3).describe([&](rank_t word) { words.push_back(word); });
    CHECK(words == list{3, 1, 0, 2});
}

TEST_CASE("placement: the largest number of ranks on one node") {
    CHECK(placement::block(8, 3).ranks_per_node() == 3);
    CHECK(placement::block(3, 8).ranks_per_node() == 1);
    CHECK(placement::list(list{0, 2, 2, 2, 0}, 3).ranks_per_node() == 3);
    CHECK(placement::list(list{0, 1, 0, 0, 0}, 3).ranks_per_node() == 4);
    CHECK(placement().ranks_per_node() == 1);
}

// In a constant expression, no element outside an array can be read.
static_assert([] {
    rank_t sum = 0;
    const placement nodes = placement::block(5, 3), ranks = nodes.under(placement::cyclic(4, 5));
    ranks.describe([&](rank_t word) { sum = 10 * sum + word; });
    return sum == 40011 && ranks.residents()[1] == 2 && ranks.ranks_per_node() == 2;
}());
static_assert(placement::block(3, 3).under(placement::list(std::array<rank_t, 2>{0, 3}, 4)).check().index == 1);

using topology::check_nested;
using nested_placement = topology::placement::nested;
using topology::placement;

namespace {

placement at(const std::vector<rank_t>& nodes) { return placement::list(nodes, 9); }

}  // namespace

static_assert([] {
    const placement levels[] = {placement::block(8, 4), placement::block(8, 2)};
    const nested_placement both(levels);
    return both.levels() == 2 && both.level(1).node(5) == 1 && !both.check();
}());

TEST_CASE("check_nested: ranks of an inner node share an outer node, for neighbors and for ranks apart") {
    CHECK(!check_nested({}, {}));
    CHECK(!check_nested(at({0, 1, 2}), {}));
    CHECK(!check_nested({}, at({5, 5, 5})));
    CHECK(!check_nested(at({0, 1, 0, 1, 2}), at({3, 3, 3, 3, 1})));
    CHECK(!check_nested(at({2, 1, 2, 4}), at({2, 1, 2, 4})));
    CHECK(std::string(check_nested(at({0, 1, 0, 1}), at({0, 0, 0, 1})).text().c_str()) ==
          "placement[3]: got 1, expected one outer node for all ranks of an inner node");
    CHECK(check_nested({}, at({5, 5, 4})).index == 2);
    CHECK(std::string(check_nested(at({0, 1}), at({0, 1, 1})).text().c_str()) ==
          "placement: got 3, expected as many entries in every placement");
    CHECK(check_nested(placement::block(4, 0), {}).argument == std::string("nodes"));
    CHECK(check_nested({}, placement::block(4, 0)).argument == std::string("nodes"));
}

TEST_CASE("placement::nested: check() reports wrong levels, and the first that is not within the next") {
    const auto checked_levels = [](const std::vector<placement>& levels) { return nested_placement(levels).check(); };
    const placement sockets = at({0, 0, 1, 1, 2, 3}), nodes = at({0, 0, 0, 0, 1, 1}), racks = at({0, 0, 0, 0, 0, 0});
    CHECK(!nested_placement().check());
    CHECK(nested_placement().levels() == 0);
    CHECK(!checked_levels({sockets}));
    CHECK(!checked_levels({sockets, nodes, racks}));
    CHECK(checked_levels({nodes, sockets}).argument == std::string("placement"));
    CHECK(checked_levels({sockets, racks, nodes}).index == 4);
    CHECK(checked_levels({placement::block(4, 0)}).argument == std::string("nodes"));
    const std::vector<placement> two{sockets, nodes}, other{nodes, sockets};
    CHECK(nested_placement(two) == nested_placement(two));
    CHECK(!(nested_placement(two) == nested_placement(other)));
    CHECK(nested_placement(two).level(1) == nodes);
}

TEST_CASE("placement: the local rank of a rank is the number of smaller ranks on its node") {
    const placement where = placement::list(list{2, 0, 2, 1, 2, 0}, 3);
    const owned_array<rank_t> locals = where.local_ranks();
    CHECK(list(locals.begin(), locals.end()) == list{0, 0, 1, 0, 2, 1});
    CHECK(placement().local_ranks().empty());
}
