#include "collsched/core/neighborhood.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "support/neighborhoods.hpp"

using namespace collsched;

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
