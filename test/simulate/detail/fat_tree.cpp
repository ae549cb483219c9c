#include "collsched/simulate/detail/fat_tree.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

struct way {
    std::vector<rank_t> up, down;
};
way route(const fat_tree& tree, rank_t from, rank_t to) {
    way found;
    tree.route(from, to, [&](rank_t i) { found.up.push_back(i); }, [&](rank_t i) { found.down.push_back(i); });
    return found;
}

}  // namespace

TEST_CASE("fat_tree: in two levels neighbors meet at their switch, others at the one that the receiver selects") {
    const fat_tree tree({4, 4}, {1, 2});
    REQUIRE(!tree.check());
    CHECK(tree.nodes() == 16);
    CHECK(tree.cables() == 16 + 4 * 2);
    CHECK(route(tree, 0, 3).up == std::vector<rank_t>{0});
    CHECK(route(tree, 0, 3).down == std::vector<rank_t>{3});
    // From switch 0 (cables 16 and 17) over the one of two above that the receiver's number modulo 2 selects.
    CHECK(route(tree, 1, 4).up == std::vector<rank_t>{1, 16});
    CHECK(route(tree, 1, 4).down == std::vector<rank_t>{18, 4});
    CHECK(route(tree, 1, 5).up == std::vector<rank_t>{1, 17});
    CHECK(route(tree, 1, 5).down == std::vector<rank_t>{19, 5});
}

TEST_CASE("fat_tree: parallel cables are chosen upwards by receiver, downwards by sender, as in SimGrid") {
    const fat_tree tree({4, 4}, {1, 2}, {1, 2});
    CHECK(tree.cables() == 16 + 4 * 2 * 2);
    // Switch 0 has cables 16 and 17 to one switch above, 18 and 19 to the other; switch 1 20 to 23.
    CHECK(route(tree, 0, 4).up == std::vector<rank_t>{0, 16});
    CHECK(route(tree, 0, 5).up == std::vector<rank_t>{0, 18});
    CHECK(route(tree, 0, 6).up == std::vector<rank_t>{0, 17});
    CHECK(route(tree, 0, 7).up == std::vector<rank_t>{0, 19});
    CHECK(route(tree, 0, 4).down == std::vector<rank_t>{20, 4});
    CHECK(route(tree, 1, 4).down == std::vector<rank_t>{21, 4});
    CHECK(route(tree, 2, 5).down == std::vector<rank_t>{22, 5});
    CHECK(route(tree, 3, 5).down == std::vector<rank_t>{23, 5});
}

TEST_CASE("fat_tree: every path is up and down by the least levels, and no cable twice") {
    for (const auto& [down, up] : {std::pair<std::vector<rank_t>, std::vector<rank_t>>{{2, 3, 4}, {1, 2, 3}},
                                   {{3, 3}, {2, 3}},
                                   {{8}, {1}},
                                   {{2, 2, 2, 2}, {1, 2, 2, 2}}}) {
        const fat_tree tree(down, up);
        for (rank_t a = 0; a < tree.nodes(); ++a)
            for (rank_t b = 0; b < tree.nodes(); ++b) {
                const way found = route(tree, a, b);
                std::size_t levels = 0;
                for (rank_t x = a, y = b; x != y; ++levels) x /= down[levels], y /= down[levels];
                REQUIRE(found.up.size() == levels);
                REQUIRE(found.down.size() == levels);
                for (const auto* way : {&found.up, &found.down})
                    CHECK(std::set<rank_t>(way->begin(), way->end()).size() == way->size());
                for (const rank_t cable : found.up) CHECK((cable >= 0 && cable < tree.cables()));
            }
    }
}

TEST_CASE("fat_tree: with as many ports up as down, a shift loads no cable twice in a direction") {
    const fat_tree tree({4, 4}, {1, 4});
    for (rank_t shift = 1; shift < 16; ++shift) {
        std::map<std::pair<rank_t, bool>, int> load;
        for (rank_t r = 0; r < 16; ++r)
            tree.route(
                r, (r + shift) % 16, [&](rank_t i) { ++load[{i, true}]; }, [&](rank_t i) { ++load[{i, false}]; });
        for (const auto& [cable, n] : load) CHECK(n == 1);
    }
}

TEST_CASE("fat_tree: wrong sizes are reported") {
    CHECK(fat_tree({4, 0}, {1, 1}).check().value == 0);
    CHECK(fat_tree({4, 4}, {1}).check());
    CHECK(fat_tree({4, 4}, {1, 1}, {1}).check());
    CHECK(fat_tree({1 << 20, 1 << 20}, {1, 1}).check());
    CHECK(!fat_tree({1 << 12}, {1 << 12}).check());
    CHECK(fat_tree({1 << 12}, {(1 << 12) + 1}).check());
    CHECK(!fat_tree({}, {}).check());
}
