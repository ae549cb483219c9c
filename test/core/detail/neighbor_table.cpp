#include "collsched/core/detail/neighbor_table.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

using numbers = std::vector<std::int64_t>;

numbers list(const owned_array<std::int64_t>& array) { return {array.begin(), array.end()}; }

}  // namespace

TEST_CASE("neighbor_table: lists are one after another, and slots are numbered over all ranks") {
    const neighbor_table t(numbers{2, 0, 1}, numbers{2, 0, 0});
    CHECK(t.ranks() == 3);
    CHECK(list(t.out_first) == numbers{0, 2, 2, 3});
    CHECK(list(t.in_first) == numbers{0, 2, 2, 3});
    CHECK(list(t.sources) == numbers{0, 2, 0});
    CHECK(list(t.arrivals) == numbers{2, 0, 1});
    CHECK(list(t.departures) == numbers{1, 2, 0});
    CHECK(t.largest == 2);
}

TEST_CASE("neighbor_table: equal if ranks and targets are equal") {
    const numbers degrees{1, 1}, one{1, 0}, self{0, 1};
    CHECK(neighbor_table(degrees, one) == neighbor_table(degrees, one, degrees, one));
    CHECK(!(neighbor_table(degrees, one) == neighbor_table(degrees, self)));
    CHECK(!(neighbor_table(degrees, one) == neighbor_table(argument_error{"neighbors", 1, "others"})));
    CHECK(grid_table(numbers{2}, numbers{0}) ==
          neighbor_table(numbers{2, 2}, numbers{-1, 1, 0, -1}, numbers{2, 2}, numbers{-1, 1, 0, -1}));
}

TEST_CASE("neighbor_table: a slot exists at the target, belongs to the source and is filled once") {
    const numbers degrees{2, 0}, targets{1, 1}, back{0, 2}, sources{0, 0};
    const auto wrong = [&](numbers slots) { return neighbor_table(degrees, targets, back, sources, slots).error; };
    CHECK(!wrong({0, 1}));
    CHECK(!wrong({1, 0}));
    for (const numbers& slots : {numbers{0, 2}, {0, -1}, {1, 1}, {0, INT64_MAX}, {0, INT64_MIN}})
        CHECK((wrong(slots) && wrong(slots).value == slots[1] && wrong(slots).index == 1));
    const numbers one_each{1, 1, 0}, both_to_2{2, 2}, two_in{0, 0, 2}, from_both{0, 1};
    CHECK(!neighbor_table(one_each, both_to_2, two_in, from_both, numbers{0, 1}).error);
    CHECK(neighbor_table(one_each, both_to_2, two_in, from_both, numbers{1, 0}).error.index == 0);
}

TEST_CASE("neighbor_table: in grids a block sent one way in a dimension comes in from the other") {
    const neighbor_table t = grid_table(numbers{3, 4, 2}, numbers{1, 1, 1});
    REQUIRE(!t.error);
    REQUIRE(t.arrivals.size() == 24 * 6);
    for (std::int64_t s = 0; s < t.arrivals.size(); ++s) CHECK(t.arrivals[s] == t.targets[s] * 6 + (s % 6 ^ 1));
}

TEST_CASE("neighbor_table: numbers of any type are stored as 64 bits") {
    CHECK(list(detail::as_numbers(std::vector<int>{1, -2})) == numbers{1, -2});
    const numbers wide{3, 4};
    CHECK(detail::as_numbers(wide).data() == wide.data());
    static_assert(detail::integers<std::vector<short>> && !detail::integers<std::vector<double>> &&
                  !detail::integers<int>);
}
