#include "collsched/topology/detail/cables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "support/cables.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using list = std::vector<rank_t>;
using hop = std::pair<rank_t, rank_t>;  // a cable, and 0 up or 1 down

std::vector<hop> hops(const fat_tree_cables& tree, rank_t from, rank_t to) {
    std::vector<hop> found;
    tree.route(from, to, [&](rank_t cable, rank_t way) { found.emplace_back(cable, way); }, [](rank_t) {});
    return found;
}
std::vector<rank_t> vertices(const fat_tree_cables& tree, rank_t from, rank_t to) {
    std::vector<rank_t> found;
    tree.route(from, to, [](rank_t, rank_t) {}, [&](rank_t v) { found.push_back(v); });
    return found;
}
}  // namespace

TEST_CASE("fat_tree_cables: hosts, switches and cables are counted") {
    const fat_tree_cables tree(list{4, 4}, list{2, 2}, list{3, 2});
    CHECK(tree.fits());
    CHECK(tree.hosts() == 16);
    CHECK(tree.vertices() == 16 + 8 + 4);
    CHECK(tree.cables() == 16 * 6 + 8 * 4);
    CHECK(tree.width(5) == 1);
    CHECK(tree.arity() == std::vector<rank_t>{4, 4});
}

TEST_CASE("fat_tree_cables: a cable leads up from one vertex, and every cable is used both ways") {
    const fat_tree_cables tree(list{3, 2, 4}, list{2, 2, 3}, list{2, 3, 2});
    std::vector<rank_t> below(static_cast<std::size_t>(tree.cables()), -1);
    std::vector<bool> is_up(below.size()), is_down(below.size());
    for (rank_t a = 0; a < tree.hosts(); ++a) {
        for (rank_t b = 0; b < tree.hosts(); ++b) {
            const std::vector<rank_t> passed = vertices(tree, a, b);
            const std::vector<hop> cables = hops(tree, a, b);
            CHECK(passed.size() == cables.size() + 1);
            for (std::size_t i = 0; i < cables.size(); ++i) {
                const auto cable = static_cast<std::size_t>(cables[i].first);
                (cables[i].second == 0 ? is_up : is_down)[cable] = true;
                if (cables[i].second != 0) continue;
                if (below[cable] < 0) below[cable] = passed[i];
                CHECK(below[cable] == passed[i]);
            }
        }
    }
    CHECK(std::count(is_up.begin(), is_up.end(), false) + std::count(is_down.begin(), is_down.end(), false) <
          tree.cables());
}

TEST_CASE("fat_tree_cables: parallel cables are chosen upwards by receiver, downwards by the next port") {
    const fat_tree_cables tree(list{4, 4}, list{2, 2}, list{3, 2});
    // As SimGrid 3.32 numbers and takes them.
    CHECK(hops(tree, 0, 14) == std::vector<hop>{{1, 0}, {99, 0}, {122, 1}, {85, 1}});
    CHECK(hops(tree, 0, 15) == std::vector<hop>{{4, 0}, {103, 0}, {126, 1}, {94, 1}});
    CHECK(hops(tree, 0, 0) == std::vector<hop>{{0, 0}, {0, 1}});
}

TEST_CASE("fat_tree_cables: positions go on counting from the trees before") {
    const fat_tree_cables first(list{2, 2}, list{1, 2}, list{1, 2}), second(list{2, 2}, list{1, 2}, list{1, 2}, 3);
    // Above its switch the message to host 2 takes cable 2 % 4, and with 3 hosts before cable 5 % 4.
    CHECK(hops(first, 0, 2)[1] == hop{4 + 1, 0});
    CHECK(hops(second, 0, 2)[1] == hop{4 + 2, 0});
}

TEST_CASE("fat_tree_cables: a route passes both hosts and each switch between") {
    const fat_tree_cables tree(list{2, 2}, list{1, 1}, list{1, 1});
    CHECK(vertices(tree, 0, 1) == std::vector<rank_t>{0, 4, 1});
    std::vector<rank_t> far = vertices(tree, 0, 3);
    std::sort(far.begin(), far.end());
    CHECK(far == std::vector<rank_t>{0, 3, 4, 5, 6});
}

TEST_CASE("fat_tree_cables: cables lead to the switches above, and routes follow them") {
    for (const std::vector<std::vector<rank_t>>& shape : {std::vector<std::vector<rank_t>>{{4, 4}, {2, 2}, {3, 2}},
                                                          {{3, 2, 4}, {2, 2, 3}, {2, 3, 2}},
                                                          {{5}, {1}, {1}}}) {
        const fat_tree_cables tree(shape[0], shape[1], shape[2]);
        CHECK(support::routes_follow_cables(tree));
        const auto ends = support::ends_of_cables(tree);
        CHECK(std::ssize(ends) == tree.cables());
        for (const auto& [cable, pair] : ends) {
            CHECK((cable >= 0 && cable < tree.cables()));
            CHECK((pair.first < pair.second && pair.second < tree.vertices()));
        }
    }
}

TEST_CASE(
    "fat_tree_cables: in two levels neighbors meet at their switch, others at the one that the receiver selects") {
    const fat_tree_cables tree(list{4, 4}, list{1, 2}, list{1, 1});
    REQUIRE(tree.fits());
    CHECK(tree.hosts() == 16);
    CHECK(tree.cables() == 16 + 4 * 2);
    CHECK(hops(tree, 0, 3) == std::vector<hop>{{0, 0}, {3, 1}});
    // From switch 0 (cables 16 and 17) over the one of two above that the receiver's number modulo 2 selects.
    CHECK(hops(tree, 1, 4) == std::vector<hop>{{1, 0}, {16, 0}, {18, 1}, {4, 1}});
    CHECK(hops(tree, 1, 5) == std::vector<hop>{{1, 0}, {17, 0}, {19, 1}, {5, 1}});
}

TEST_CASE("fat_tree_cables: every path is up and down by the least levels, and no cable twice") {
    for (const auto& [down, up] :
         {std::pair<list, list>{{2, 3, 4}, {1, 2, 3}}, {{3, 3}, {2, 3}}, {{8}, {1}}, {{2, 2, 2, 2}, {1, 2, 2, 2}}}) {
        const fat_tree_cables tree(down, up, list(down.size(), 1));
        for (rank_t a = 0; a < tree.hosts(); ++a)
            for (rank_t b = 0; b < tree.hosts(); ++b) {
                if (a == b) continue;
                std::vector<hop> found = hops(tree, a, b);
                std::size_t levels = 0;
                for (rank_t x = a, y = b; x != y; ++levels) x /= down[levels], y /= down[levels];
                REQUIRE(found.size() == 2 * levels);
                for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].second == (i < levels ? 0 : 1));
                std::sort(found.begin(), found.end());
                CHECK(std::adjacent_find(found.begin(), found.end()) == found.end());
            }
    }
}

TEST_CASE("fat_tree_cables: with as many ports up as down, a shift loads no cable twice in a direction") {
    const fat_tree_cables tree(list{4, 4}, list{1, 4}, list{1, 1});
    for (rank_t shift = 1; shift < 16; ++shift) {
        std::map<hop, int> load;
        for (rank_t r = 0; r < 16; ++r)
            for (const hop& passed : hops(tree, r, (r + shift) % 16)) ++load[passed];
        for (const auto& [cable, n] : load) CHECK(n == 1);
    }
}

TEST_CASE("fat_tree_cables: numbers from 1 to 2^24 and at most 2^24 cables are accepted") {
    constexpr rank_t most = rank_t{1} << 24;
    const auto fits = [](const list& down, const list& up, const list& cables) {
        return fat_tree_cables(down, up, cables).fits();
    };
    for (const rank_t wrong : {rank_t{0}, rank_t{-3}, most + 1}) {
        CHECK_FALSE(fits({2, wrong}, {1, 1}, {1, 1}));
        CHECK_FALSE(fits({2, 2}, {wrong, 1}, {1, 1}));
        CHECK_FALSE(fits({2, 2}, {1, 1}, {wrong, 1}));
    }
    CHECK(fits({}, {}, {}));
    CHECK(fits({most}, {1}, {1}));
    CHECK(fits({1}, {most}, {1}));
    CHECK(fits({1}, {1}, {most}));
    CHECK(fits({1 << 12}, {1 << 12}, {1}));
    CHECK_FALSE(fits({1 << 12}, {(1 << 12) + 1}, {1}));
    CHECK_FALSE(fits({most, 1}, {1, 1}, {1, 1}));
    CHECK_FALSE(fits({most}, {2}, {1}));
    CHECK_FALSE(fits({1 << 20, 1 << 20}, {1, 1}, {1, 1}));
    CHECK_FALSE(fits({most, most, most}, {1, 1, 1}, {1, 1, 1}));
}

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
