#include "collsched/format/clusters/detail/simgrid_dragonfly.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>
#include <vector>

#include "support/cables.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using hop = std::pair<rank_t, rank_t>;  // a cable, and its direction

struct passed {
    std::vector<hop> cables;
    std::vector<rank_t> vertices;
};
passed way(const simgrid_dragonfly& fly, rank_t from, rank_t to) {
    passed found;
    fly.route(
        from, to, [&](rank_t cable, rank_t direction) { found.cables.emplace_back(cable, direction); },
        [&](rank_t v) { found.vertices.push_back(v); });
    return found;
}

}  // namespace

// Two groups of two chassis of three routers of two hosts: 24 hosts, 12 green cables, 6 black ones, one blue one.
const simgrid_dragonfly fly({2, 5}, {2, 4}, {3, 3}, 2);

TEST_CASE("SimGrid's dragonflies: cables of four widths") {
    CHECK(fly.check());
    CHECK(fly.hosts() == 24);
    CHECK(fly.vertices() == 24 + 12);
    CHECK(fly.cables() == 24 + 12 + 6 + 1);
    std::vector<rank_t> counts(6);
    for (rank_t i = 0; i < fly.cables(); ++i) ++counts[static_cast<std::size_t>(fly.width(i))];
    CHECK(counts == std::vector<rank_t>{0, 24, 0, 12, 6, 1});
    CHECK(fly.arity() == std::vector<rank_t>{2, 3, 2, 2});
}

TEST_CASE("SimGrid's dragonflies: one green cable in a chassis, one black between chassis, one blue between groups") {
    CHECK(way(fly, 0, 1).cables == std::vector<hop>{{0, 0}, {1, 1}});
    CHECK(way(fly, 0, 2).cables == std::vector<hop>{{0, 0}, {24, 0}, {2, 1}});
    CHECK(way(fly, 5, 0).cables == std::vector<hop>{{5, 0}, {25, 1}, {0, 1}});
    CHECK(way(fly, 0, 6).cables == std::vector<hop>{{0, 0}, {36, 0}, {6, 1}});
    CHECK(way(fly, 2, 12).cables == std::vector<hop>{{2, 0}, {42, 0}, {12, 1}});
    CHECK(way(fly, 12, 2).cables == std::vector<hop>{{12, 0}, {42, 1}, {2, 1}});
    // Router 2 of the second chassis, to router 1, to the first chassis, to the other group, and there the same.
    const passed far = way(fly, 11, 23);
    CHECK(far.cables == std::vector<hop>{{11, 0}, {29, 1}, {37, 1}, {42, 0}, {31, 0}, {41, 0}, {23, 1}});
    CHECK(far.vertices == std::vector<rank_t>{11, 29, 28, 25, 30, 32, 35, 23});
}

TEST_CASE("SimGrid's dragonflies: a new router in a group is reached from the first chassis") {
    CHECK(way(fly, 6, 8).cables == std::vector<hop>{{6, 0}, {27, 0}, {37, 0}, {8, 1}});
    CHECK(way(fly, 6, 2).cables == std::vector<hop>{{6, 0}, {27, 0}, {2, 1}});
}

TEST_CASE("SimGrid's dragonflies: every cable has a number of its own") {
    std::set<rank_t> seen;
    for (rank_t a = 0; a < fly.hosts(); ++a)
        for (rank_t b = 0; b < fly.hosts(); ++b)
            for (const auto& [cable, direction] : way(fly, a, b).cables) {
                CHECK(cable >= 0);
                CHECK(cable < fly.cables());
                seen.insert(cable);
            }
    CHECK(static_cast<rank_t>(seen.size()) == fly.cables());
}

TEST_CASE("SimGrid's dragonflies: wrong sizes are found") {
    CHECK(!simgrid_dragonfly({4, 1}, {1, 1}, {3, 1}, 2).check());
    CHECK(!simgrid_dragonfly({1, 1}, {1, 1}, {1, 0}, 2).check());
    CHECK(!simgrid_dragonfly({1, 1}, {1, 1}, {1, 1}, 0).check());
    CHECK(!simgrid_dragonfly({1, 1}, {1, 1}, {1 << 20, 1}, 1).check());
    const rank_t huge = (rank_t{1} << 31) - 1;
    CHECK(!simgrid_dragonfly({huge, 1}, {huge, 1}, {huge, 1}, huge).check());
    CHECK(simgrid_dragonfly({1, 1}, {1, 1}, {1, 1}, 1).check());
}

TEST_CASE("SimGrid's dragonflies: routes follow the cables where groups have one chassis") {
    for (const simgrid_dragonfly& shape :
         {simgrid_dragonfly({3, 1}, {1, 1}, {4, 1}, 2), simgrid_dragonfly({1, 1}, {1, 1}, {1, 1}, 3)})
        CHECK(support::routes_follow_cables(shape));
}

TEST_CASE("SimGrid's dragonflies: each cable joins a host and its router, or two routers") {
    for (const simgrid_dragonfly& shape : {fly, simgrid_dragonfly({3, 1}, {2, 1}, {4, 1}, 1)}) {
        const auto ends = support::ends_of_cables(shape);
        CHECK(std::ssize(ends) == shape.cables());
        CHECK(!ends.contains(-1));
    }
    using ends = std::pair<rank_t, rank_t>;
    const auto found = support::ends_of_cables(fly);
    CHECK(found.at(23) == ends{23, 35});
    CHECK(found.at(27) == ends{27, 28});
    CHECK(found.at(36) == ends{24, 27});
    CHECK(found.at(42) == ends{25, 30});
}
