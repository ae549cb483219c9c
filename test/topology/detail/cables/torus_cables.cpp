#include "collsched/topology/detail/cables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "support/cables.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using list = std::vector<rank_t>;
using hop = std::pair<rank_t, rank_t>;  // a cable, and 0 forwards or 1 backwards

std::vector<hop> hops(const torus_cables& torus, rank_t from, rank_t to) {
    std::vector<hop> found;
    torus.route(from, to, [&](rank_t cable, rank_t way) { found.emplace_back(cable, way); }, [](rank_t) {});
    return found;
}

}  // namespace

TEST_CASE("torus_cables: a cable of each host in each dimension") {
    const torus_cables torus(list{3, 2, 5});
    CHECK(torus.hosts() == 30);
    CHECK(torus.vertices() == 30);
    CHECK(torus.cables() == 90);
    CHECK(torus.width(89) == 1);
    CHECK(torus.arity() == std::vector<rank_t>{30});
}

TEST_CASE("torus_cables: dimension by dimension, the shorter way round") {
    const torus_cables ring(list{7});
    CHECK(hops(ring, 0, 3) == std::vector<hop>{{0, 0}, {1, 0}, {2, 0}});
    CHECK(hops(ring, 0, 4) == std::vector<hop>{{6, 1}, {5, 1}, {4, 1}});
    CHECK(hops(ring, 6, 1) == std::vector<hop>{{6, 0}, {0, 0}});
    CHECK(hops(ring, 2, 2).empty());
    const torus_cables sheet(list{4, 6});
    CHECK(hops(sheet, 0, 5) == std::vector<hop>{{0, 0}, {3, 0}});
    CHECK(hops(sheet, 5, 0) == std::vector<hop>{{8, 1}, {1, 1}});
    const torus_cables line(list{1, 3, 1});
    CHECK(hops(line, 0, 2) == std::vector<hop>{{7, 1}});
}

TEST_CASE("torus_cables: of two equal ways the one that does not wrap around, but from the upper half") {
    const torus_cables ring(list{4});
    CHECK(hops(ring, 0, 2) == std::vector<hop>{{0, 0}, {1, 0}});
    CHECK(hops(ring, 1, 3) == std::vector<hop>{{1, 0}, {2, 0}});
    CHECK(hops(ring, 2, 0) == std::vector<hop>{{1, 1}, {0, 1}});
    CHECK(hops(ring, 3, 1) == std::vector<hop>{{3, 0}, {0, 0}});
}

TEST_CASE("torus_cables: routes are shortest and pass every host between") {
    const torus_cables torus(list{3, 2, 5});
    for (rank_t a = 0; a < 30; ++a) {
        for (rank_t b = 0; b < 30; ++b) {
            std::vector<rank_t> passed;
            rank_t cables = 0, shortest = 0, x = a, y = b;
            for (const rank_t n : {3, 2, 5}) {
                const rank_t apart = std::max(x % n, y % n) - std::min(x % n, y % n);
                shortest += std::min(apart, n - apart);
                x /= n, y /= n;
            }
            torus.route(a, b, [&](rank_t, rank_t) { ++cables; }, [&](rank_t v) { passed.push_back(v); });
            CHECK(cables == shortest);
            CHECK(static_cast<rank_t>(passed.size()) == shortest + 1);
            CHECK(passed.front() == a);
            CHECK(passed.back() == b);
            std::sort(passed.begin(), passed.end());
            CHECK(std::adjacent_find(passed.begin(), passed.end()) == passed.end());
        }
    }
}

TEST_CASE("torus_cables: cables lead to the next host of each dimension, and routes follow them") {
    for (const std::vector<rank_t>& sizes : {std::vector<rank_t>{7}, {4, 6}, {3, 2, 5}, {1, 3, 1}, {2, 2}})
        CHECK(support::routes_follow_cables(torus_cables(sizes)));
    const auto ends = support::ends_of_cables(torus_cables(list{3, 2}));
    CHECK(ends.size() == 6 + 3);  // a ring of three per row, and one cable per column
    CHECK(ends.at(4) == std::pair<rank_t, rank_t>{2, 0});
    CHECK(ends.at(5) == std::pair<rank_t, rank_t>{2, 5});
    CHECK(support::ends_of_cables(torus_cables(list{1})).empty());
}

TEST_CASE("torus_cables: a mesh has no cable from the last host of a dimension to the first") {
    const auto ends = support::ends_of_cables(torus_cables(list{3, 2}, false));
    CHECK(ends.size() == 2 * 2 + 3);
    CHECK(ends.at(0) == std::pair<rank_t, rank_t>{0, 1});
    CHECK(ends.count(4) == 0);
    static_assert(torus_cables(std::array<rank_t, 2>{3, 2}, false).cables() == 12);
}
