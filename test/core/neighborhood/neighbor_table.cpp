#include "collsched/core/neighborhood.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

using numbers = std::vector<std::int64_t>;

numbers list(const owned_array<std::int64_t>& array) { return {array.begin(), array.end()}; }

}  // namespace

// An access beyond a list is no constant expression.
static_assert([] {
    // 0 -> 2, 0;  1 -> none;  2 -> 0, 1, 0.  0 receives from 2, none, 0, 2;  1 from 2;  2 from 0.
    const std::int64_t out[]{2, 1, 3}, targets[]{2, 0, -1, 0, 1, 0}, in[]{4, 1, 1}, sources[]{2, -1, 0, 2, 2, 0};
    const std::int64_t slots[]{0, 2, -1, 3, 0, 0}, arrivals[]{5, 2, -1, 3, 4, 0}, departures[]{5, -1, 1, 3, 4, 0};
    const neighbor_table t(out, targets, in, sources, slots);
    bool right = !t.error && t.largest == 4 && t.departures.size() == 6;
    for (int s = 0; s < 6; ++s) right = right && t.arrivals[s] == arrivals[s] && t.departures[s] == departures[s];
    const neighbor_table ordered(out, targets, in, sources), alone(out, targets);
    const std::int64_t ascending[]{5, 2, -1, 0, 4, 3}, packed[]{4, 0, -1, 1, 3, 2};
    for (int s = 0; s < 6; ++s) right = right && ordered.arrivals[s] == ascending[s] && alone.arrivals[s] == packed[s];
    return right && alone.sources.size() == 5 && alone.sources[4] == 0 && alone.in_first[3] == 5 && alone.largest == 3;
}());

static_assert([] {
    const std::int64_t none[]{0}, two[]{2, 0}, both[]{1, 1}, in[]{0, 2}, sources[]{0, 0}, less[]{0, 1}, more[]{0, 3};
    const std::int64_t three[]{0, 0, 0}, wrong[]{0, 0, 1};
    const neighbor_table fits(two, both, in, sources), missing(two, both, less, none), surplus(two, both, more, three);
    return !fits.error && missing.error.index == 1 && missing.error.value == 1 && surplus.error.index == 2 &&
           surplus.error.value == 0 && neighbor_table(two, both, more, wrong).error.index == 2 &&
           neighbor_table(none, {}, none, {}).largest == 0;
}());

static_assert([] {
    const std::int64_t dims[]{2, 3}, flags[]{0, 1};
    const neighbor_table t = grid_table(dims, flags);
    return !t.error && t.ranks() == 6 && t.largest == 4 && t.targets.size() == 24 && t.targets[5 * 4] == 2 &&
           t.targets[5 * 4 + 1] == -1 && t.targets[5 * 4 + 2] == 4 && t.targets[5 * 4 + 3] == 3 && t.targets[2] == 2;
}());

TEST_CASE("neighbor_table: a slot of another rank is refused, also if the numbers of slots go on there") {
    const numbers degrees{2, 0, 0}, targets{1, 2}, back{0, 1, 1}, sources{0, 0};
    CHECK(!neighbor_table(degrees, targets, back, sources, numbers{0, 0}).error);
    CHECK(neighbor_table(degrees, targets, back, sources, numbers{1, 0}).error ==
          argument_error{"slots", 1, "a slot of the target, for this rank", 0});
    CHECK(neighbor_table(degrees, targets, back, sources, numbers{0, -1}).error ==
          argument_error{"slots", -1, "a slot of the target, for this rank", 1});
}

TEST_CASE("neighbor_table: many sources of one rank are matched in slot order") {
    numbers out(50, 0), targets, in(50, 0), sources;
    for (std::int64_t r = 0; r < 50; ++r) {
        out[static_cast<std::size_t>(r)] = 1 + r % 3;
        for (std::int64_t i = 0; i < 1 + r % 3; ++i) targets.push_back(7);
    }
    in[7] = std::ssize(targets);
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t n = 0; n < 50; ++n)
            if (const std::int64_t r = n * 17 % 50; r % 3 >= i) sources.push_back(r);
    const neighbor_table t(out, targets, in, sources);
    REQUIRE(!t.error);
    for (std::int64_t r = 0; r < 50; ++r)
        for (std::int64_t s = t.out_first[r], last = -1; s < t.out_first[r + 1]; last = t.arrivals[s++]) {
            CHECK(t.sources[t.arrivals[s]] == r);
            CHECK(t.departures[t.arrivals[s]] == s);
            CHECK(t.arrivals[s] > last);
        }
}

TEST_CASE("neighbor_table: tables are equal if all lists are") {
    const numbers degrees{1, 1, 0}, targets{2, 2}, in{0, 0, 2}, sources{0, 1}, turned{1, 0};
    const neighbor_table t(degrees, targets, in, sources);
    CHECK(t == neighbor_table(degrees, targets));
    CHECK_FALSE(t == neighbor_table(degrees, targets, in, turned));
    CHECK_FALSE(t == neighbor_table(degrees, targets, numbers{0, 1, 2}, numbers{-1, 0, 1}));
    CHECK_FALSE(t == neighbor_table(numbers{0, 2, 0}, targets));
    CHECK_FALSE(t == neighbor_table(degrees, numbers{2, 1}));
    const numbers two{2, 0}, both{1, 1}, back{0, 2}, same{0, 0};
    CHECK_FALSE(neighbor_table(two, both, back, same, numbers{0, 1}) ==
                neighbor_table(two, both, back, same, numbers{1, 0}));
    CHECK_FALSE(neighbor_table(degrees, numbers{3, 2}) == neighbor_table(degrees, numbers{2, 3}));
}

TEST_CASE("neighbor_table: errors have argument, value, range and index") {
    const auto of = [](const numbers& degrees, const numbers& list) { return neighbor_table(degrees, list).error; };
    CHECK(of({-1, 1}, {0}) == argument_error{"out_degrees", -1, "0 or more", 0});
    CHECK(of({1, -2}, {0}) == argument_error{"out_degrees", -2, "0 or more", 1});
    CHECK(of({1, 1}, {0, 1, 0}) == argument_error{"neighbors", 3, "as many ranks as the degrees sum to"});
    CHECK(of({1, 1}, {-2, 1}) == argument_error{"neighbors", -2, "0 to ranks-1, or -1 for none", 0});
    CHECK(of({1, 1}, {1, 2}) == argument_error{"neighbors", 2, "0 to ranks-1, or -1 for none", 1});
    const auto grid = [](const numbers& dims, const numbers& flags) { return grid_table(dims, flags).error; };
    CHECK(grid({2, 3}, {1}) == argument_error{"periodic", 1, "a flag for each dimension"});
    CHECK(grid({2, 3}, {1, 1, 1}) == argument_error{"periodic", 3, "a flag for each dimension"});
    CHECK(grid({0, 3}, {1, 1}) == argument_error{"dims", 0, "1 or more", 0});
    CHECK(grid({1, -1}, {1, 1}) == argument_error{"dims", -1, "1 or more", 1});
    constexpr std::int64_t half = std::int64_t{1} << 62;
    CHECK(grid({half}, {1}) == argument_error{"dims", half, "fewer than 2^63 slots", 0});
    CHECK(grid({half / 2, 1}, {1, 1}) == argument_error{"dims", half / 2, "fewer than 2^63 slots", 0});
    CHECK(grid({1, 4, half / 4, 0}, {1, 1, 1, 1}) == argument_error{"dims", half / 4, "fewer than 2^63 slots", 2});
}

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
