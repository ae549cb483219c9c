#include "collsched/core/neighborhood.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "support/neighborhoods.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using ranks = std::vector<rank_t>;

struct lists {
    ranks targets, arrivals, sources, departures;
    bool operator==(const lists&) const = default;
};

lists of(const neighborhood& n, rank_t r) {
    lists all;
    for (rank_t i = 0; i < n.out_degree(r); ++i) {
        all.targets.push_back(n.target(r, i));
        all.arrivals.push_back(n.arrival(r, i));
    }
    for (rank_t j = 0; j < n.in_degree(r); ++j) {
        all.sources.push_back(n.source(r, j));
        all.departures.push_back(n.departure(r, j));
    }
    return all;
}

constexpr std::array<int, 2> two_by_one{2, 1}, yes{1, 1};
static_assert(neighborhood::cartesian(two_by_one, yes).target(0, 1) == 1 &&
              neighborhood::cartesian(two_by_one, yes).arrival(0, 1) == 0);

std::string complaint(const neighborhood& n, rank_t p) {
    const argument_error error = n.check(p);
    return error ? error.text().c_str() : "";
}

std::vector<std::int64_t> words(const neighborhood& n) {
    std::vector<std::int64_t> all;
    n.describe([&](std::int64_t word) { all.push_back(word); });
    return all;
}

}  // namespace

TEST_CASE("neighborhood: default-constructed, no rank has neighbors, for any number of ranks") {
    constexpr neighborhood none;
    CHECK(none.in_degree(7) == 0);
    CHECK(none.out_degree(1000) == 0);
    CHECK(none.largest_degree() == 0);
    CHECK(none.out_slots() + none.in_slots() == 0);
    CHECK(!none.check(1));
    CHECK(!none.check(1000000));
    CHECK(none == neighborhood());
    CHECK(!(none == neighborhood(ranks{0}, ranks{})));
}

TEST_CASE("neighborhood: in small tori a block sent down comes in from above") {
    const auto torus = [](const ranks& dims) { return neighborhood::cartesian(dims, ranks(dims.size(), 1)); };
    CHECK(of(torus({1, 1}), 0) == lists{{0, 0, 0, 0}, {1, 0, 3, 2}, {0, 0, 0, 0}, {1, 0, 3, 2}});
    CHECK(of(torus({2, 1}), 0) == lists{{1, 1, 0, 0}, {1, 0, 3, 2}, {1, 1, 0, 0}, {1, 0, 3, 2}});
    CHECK(of(torus({2, 1}), 1) == lists{{0, 0, 1, 1}, {1, 0, 3, 2}, {0, 0, 1, 1}, {1, 0, 3, 2}});
    CHECK(of(torus({2, 2}), 2) == lists{{0, 0, 3, 3}, {1, 0, 3, 2}, {0, 0, 3, 3}, {1, 0, 3, 2}});
    CHECK(of(torus({1, 3}), 0) == lists{{0, 0, 2, 1}, {1, 0, 3, 2}, {0, 0, 2, 1}, {1, 0, 3, 2}});
    CHECK(of(torus({}), 0) == lists{});
}

TEST_CASE("neighborhood: at the ends of a dimension that is not periodic slots are empty, and keep their places") {
    const neighborhood line = neighborhood::cartesian(ranks{3}, ranks{0});
    CHECK(of(line, 0) == lists{{-1, 1}, {-1, 0}, {-1, 1}, {-1, 0}});
    CHECK(of(line, 1) == lists{{0, 2}, {1, 0}, {0, 2}, {1, 0}});
    CHECK(of(line, 2) == lists{{1, -1}, {1, -1}, {1, -1}, {1, -1}});
    CHECK(of(neighborhood::cartesian(ranks{1}, ranks{0}), 0) == lists{{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}});
}

TEST_CASE("neighborhood: in grids coordinates give every slot's neighbor and the direction that fills it") {
    for (const ranks& dims :
         std::vector<ranks>{{1}, {2}, {5}, {1, 1}, {2, 1}, {2, 2}, {1, 3}, {4, 3}, {3, 3, 2}, {2, 1, 2, 3}})
        for (rank_t flags = 0; flags < 1 << dims.size(); ++flags) {
            support::grid g{dims, {}};
            rank_t p = 1;
            for (std::size_t d = 0; d < dims.size(); ++d) g.periodic.push_back(flags >> d & 1), p *= dims[d];
            const neighborhood n = neighborhood::cartesian(dims, g.periodic);
            REQUIRE(!n.check(p));
            REQUIRE(n.out_slots() == 2 * std::ssize(dims) * p);
            for (rank_t r = 0; r < p; ++r) {
                REQUIRE(n.in_degree(r) == 2 * std::ssize(dims));
                for (std::size_t d = 0; d < dims.size(); ++d)
                    for (const rank_t way : {-1, 1}) {
                        const auto slot_of = [d](rank_t w) { return 2 * static_cast<rank_t>(d) + (w > 0 ? 1 : 0); };
                        const rank_t there = g.neighbor(r, d, way), mine = slot_of(way);
                        CHECK(n.target(r, mine) == there);
                        CHECK(n.source(r, mine) == there);
                        CHECK(n.arrival(r, mine) == (there < 0 ? -1 : slot_of(-way)));
                        CHECK(n.departure(r, mine) == (there < 0 ? -1 : slot_of(-way)));
                        if (there >= 0) CHECK(g.neighbor(there, d, -way) == r);
                    }
            }
        }
}

TEST_CASE("neighborhood: from targets, sources are in ascending order, several of one rank in slot order") {
    // 0 -> 2, 2, 1;  1 -> 1, none, 2;  2 -> 0
    const neighborhood n(ranks{3, 3, 1}, ranks{2, 2, 1, 1, -1, 2, 0});
    REQUIRE(!n.check(3));
    CHECK(of(n, 0) == lists{{2, 2, 1}, {0, 1, 0}, {2}, {0}});
    CHECK(of(n, 1) == lists{{1, -1, 2}, {1, -1, 2}, {0, 1}, {2, 0}});
    CHECK(of(n, 2) == lists{{0}, {0}, {0, 0, 1}, {0, 1, 2}});
    CHECK(n.largest_degree() == 3);
    CHECK(n.out_slot(2, 0) == 6);
    CHECK(n.in_slot(2, 1) == 4);
    CHECK(neighborhood(std::vector<int>{3, 3, 1}, std::vector<int>{2, 2, 1, 1, -1, 2, 0}) == n);
}

TEST_CASE("neighborhood: with sources, the n-th slot for a rank fills the n-th slot of that rank for this one") {
    for (rank_t p = 1; p <= 12; ++p)
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const neighborhood n = support::any_graph(p, seed, 1 + static_cast<rank_t>(seed % 7));
            REQUIRE(complaint(n, p) == "");
            rank_t empty = 0;
            for (rank_t s = 0; s < p; ++s) {
                for (rank_t d = 0; d < p; ++d) {
                    ranks out, in;
                    for (rank_t i = 0; i < n.out_degree(s); ++i)
                        if (n.target(s, i) == d) out.push_back(i);
                    for (rank_t j = 0; j < n.in_degree(d); ++j)
                        if (n.source(d, j) == s) in.push_back(j);
                    REQUIRE(out.size() == in.size());
                    for (std::size_t k = 0; k < out.size(); ++k) {
                        CHECK(n.arrival(s, out[k]) == in[k]);
                        CHECK(n.departure(d, in[k]) == out[k]);
                    }
                }
                for (rank_t i = 0; i < n.out_degree(s); ++i)
                    if (n.target(s, i) == neighborhood::none) {
                        CHECK(n.arrival(s, i) == -1);
                        ++empty;
                    }
                for (rank_t j = 0; j < n.in_degree(s); ++j)
                    if (n.source(s, j) == neighborhood::none) {
                        CHECK(n.departure(s, j) == -1);
                        ++empty;
                    }
            }
            CHECK(empty == 2);
        }
}

TEST_CASE("neighborhood: slots may be given one by one, as a grid needs it") {
    const neighborhood grid = neighborhood::cartesian(ranks{2, 2}, ranks{1, 0});
    ranks degrees(4, 4), targets, sources, slots;
    for (rank_t r = 0; r < 4; ++r) {
        const lists mine = of(grid, r);
        targets.insert(targets.end(), mine.targets.begin(), mine.targets.end());
        sources.insert(sources.end(), mine.sources.begin(), mine.sources.end());
        slots.insert(slots.end(), mine.arrivals.begin(), mine.arrivals.end());
    }
    CHECK(neighborhood(degrees, targets, degrees, sources, slots) == grid);
    CHECK(!(neighborhood(degrees, targets, degrees, sources) == grid));  // which swaps up and down
    CHECK(words(grid) != words(neighborhood(degrees, targets, degrees, sources)));
    CHECK(words(grid) == words(neighborhood::cartesian(std::vector<int>{2, 2}, std::vector<int>{5, 0})));
    CHECK(words(grid) != words(neighborhood::cartesian(ranks{2, 2}, ranks{1, 1})));
}

TEST_CASE("neighborhood: its parameters distinguish it from others") {
    CHECK(words(neighborhood()) == std::vector<std::int64_t>{0});
    CHECK(words(neighborhood(ranks{1, 0}, ranks{1})) == std::vector<std::int64_t>{2, 1, 0, 1, 0, 0, 1});
}

TEST_CASE("neighborhood: errors of wrong lists have place, value and expected range") {
    const auto targets = [](const ranks& degrees, const ranks& list) {
        return complaint(neighborhood(degrees, list), 2);
    };
    CHECK(targets({1, 1}, {1, 0}) == "");
    CHECK(targets({1, -1}, {}) == "out_degrees[1]: got -1, expected 0 or more");
    CHECK(targets({1, 1}, {1}) == "neighbors: got 1, expected as many ranks as the degrees sum to");
    CHECK(targets({INT64_MAX, INT64_MAX}, {1}) == "neighbors: got 1, expected as many ranks as the degrees sum to");
    CHECK(targets({1, 1}, {1, 2}) == "neighbors[1]: got 2, expected 0 to ranks-1, or -1 for none");
    CHECK(targets({1, 1}, {-2, 0}) == "neighbors[0]: got -2, expected 0 to ranks-1, or -1 for none");
    CHECK(targets({1}, {0}) == "neighbors: got 1, expected lists for as many ranks as there are");

    const auto both = [](const ranks& in_degrees, const ranks& sources) {  // 0 -> 1, 1, 0;  1 -> 0
        return complaint(neighborhood(ranks{3, 1}, ranks{1, 1, 0, 0}, in_degrees, sources), 2);
    };
    CHECK(both({2, 2}, {1, 0, 0, 0}) == "");
    CHECK(both({2}, {1, 0}) == "in_degrees: got 1, expected as many as out_degrees");
    CHECK(both({2, 2}, {1, 0, 0, 2}) == "sources[3]: got 2, expected 0 to ranks-1, or -1 for none");
    CHECK(both({3, 2}, {1, 0, 0, 0, 0}) ==
          "sources[2]: got 0, expected each rank as often as it lists this one as a target");
    CHECK(both({2, 3}, {1, 0, 0, 0, 1}) ==
          "sources[4]: got 1, expected each rank as often as it lists this one as a target");
    CHECK(both({2, 1}, {1, 0, 0}) ==
          "neighbors[1]: got 1, expected each rank as often as it lists this one as a source");
    CHECK(both({1, 2}, {0, 0, 0}) ==
          "neighbors[3]: got 0, expected each rank as often as it lists this one as a source");

    const auto slots = [](const ranks& list) {  // 0 -> 1, none, 1;  1 receives from 0, 0, none
        return complaint(neighborhood(ranks{3, 0}, ranks{1, -1, 1}, ranks{0, 3}, ranks{0, 0, -1}, list), 2);
    };
    CHECK(slots({1, -1, 0}) == "");
    CHECK(slots({1, -1}) == "slots: got 2, expected as many as targets");
    CHECK(slots({0, -1, 0}) == "slots[2]: got 0, expected a slot of the target, for this rank");
    CHECK(slots({2, -1, 0}) == "slots[0]: got 2, expected a slot of the target, for this rank");
    CHECK(slots({3, -1, 0}) == "slots[0]: got 3, expected a slot of the target, for this rank");
    CHECK(slots({-1, -1, 0}) == "slots[0]: got -1, expected a slot of the target, for this rank");
    CHECK(slots({1, 0, 0}) == "slots[1]: got 0, expected -1 where there is no target");
    CHECK(complaint(neighborhood(ranks{0, 0}, ranks{}, ranks{0, 1}, ranks{0}, ranks{}), 2) ==
          "sources[0]: got 0, expected a rank with a slot for this one");

    const auto cartesian = [](const ranks& dims, const ranks& flags) {
        return complaint(neighborhood::cartesian(dims, flags), 6);
    };
    CHECK(cartesian({3, 2}, {0, 1}) == "");
    CHECK(cartesian({3, 2}, {0}) == "periodic: got 1, expected a flag for each dimension");
    CHECK(cartesian({3, 0}, {0, 0}) == "dims[1]: got 0, expected 1 or more");
    CHECK(cartesian({-1}, {0}) == "dims[0]: got -1, expected 1 or more");
    CHECK(cartesian({1 << 30, 1 << 30, 4}, {0, 0, 0}) == "dims[2]: got 4, expected fewer than 2^63 slots");
    CHECK(cartesian({3, 3}, {0, 0}) == "neighbors: got 9, expected lists for as many ranks as there are");
}

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
