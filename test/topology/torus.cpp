#include "collsched/topology/torus.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace collsched;
using topology::torus;

namespace {
using list = std::vector<rank_t>;
}

TEST_CASE("torus: coordinates run fastest in the last dimension") {
    const torus t(list{2, 3, 4});
    CHECK(t.nodes() == 24);
    CHECK(t.coordinate(23, 0) == 1);
    CHECK(t.coordinate(23, 1) == 2);
    CHECK(t.coordinate(23, 2) == 3);
    CHECK(t.neighbor(0, 2, 1) == 1);
    CHECK(t.neighbor(0, 2, -1) == 3);
    CHECK(t.neighbor(0, 1, 1) == 4);
    CHECK(t.neighbor(0, 0, -3) == 12);
}

TEST_CASE("torus: distances are those of a walk to nearest neighbors") {
    for (const list& sizes :
         {list{1}, list{2}, list{5}, list{1, 1}, list{2, 1}, list{2, 2}, list{3, 4}, list{2, 3, 5}}) {
        const torus t(sizes);
        for (rank_t from = 0; from < t.nodes(); ++from) {
            std::vector<rank_t> far(static_cast<std::size_t>(t.nodes()), -1), queue{from};
            far[static_cast<std::size_t>(from)] = 0;
            for (std::size_t i = 0; i < queue.size(); ++i)
                for (rank_t d = 0; d < t.dimensions(); ++d)
                    for (const rank_t step : {1, -1}) {
                        const rank_t to = t.neighbor(queue[i], d, step);
                        if (far[static_cast<std::size_t>(to)] >= 0) continue;
                        far[static_cast<std::size_t>(to)] = far[static_cast<std::size_t>(queue[i])] + 1;
                        queue.push_back(to);
                    }
            for (rank_t to = 0; to < t.nodes(); ++to) CHECK(t.distance(from, to) == far[static_cast<std::size_t>(to)]);
        }
    }
}

TEST_CASE("torus: a torus of one node in a dimension, and wrong sizes") {
    CHECK(torus(list{1, 1}).neighbor(0, 1, 1) == 0);
    CHECK(!torus(list{1, 1}).check());
    CHECK(torus(list{}).nodes() == 1);
    CHECK(torus(list{2, 0}).check() == argument_error{"sizes", 0, "1 or more", 1});
    CHECK(torus(list{-2, 0}).check() == argument_error{"sizes", -2, "1 or more", 0});
    constexpr rank_t large = rank_t{1} << 40;
    CHECK(torus(list{large, large, 3}).check() == argument_error{"sizes", large, "a product below 2^63", 1});
    CHECK(!torus(list{large, rank_t{1} << 22}).check());
}

// In a constant expression, no size outside the list can be read.
static_assert([] {
    const torus t(std::array<rank_t, 3>{2, 3, 4});
    bool right = !t.check() && t.distance(0, 23) == 3;
    for (rank_t c = 0; c < t.nodes(); ++c)
        for (rank_t d = 0; d < 3; ++d)
            for (const rank_t step : {1, -1, 5}) {
                const rank_t to = t.neighbor(c, d, step), n = t.size(d);
                right = right && t.coordinate(to, d) == (t.coordinate(c, d) + step + n) % n;
                for (rank_t other = 0; other < 3; ++other)
                    right = right && (other == d || t.coordinate(to, other) == t.coordinate(c, other));
            }
    return right;
}());
