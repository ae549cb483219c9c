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

TEST_CASE("fat_tree: each error has its argument, value, text and index, and 2^24 of everything are accepted") {
    constexpr rank_t most = rank_t{1} << 24;
    const auto check = [](std::vector<rank_t> down, std::vector<rank_t> up, std::vector<rank_t> cables = {}) {
        return fat_tree(std::move(down), std::move(up), std::move(cables)).check();
    };
    for (const rank_t wrong : {rank_t{0}, rank_t{-3}, most + 1}) {
        const argument_error error{"fat tree", wrong, "1 to 2^24 of everything"};
        CHECK(check({2, wrong}, {1, 1}) == error);
        CHECK(check({2, 2}, {wrong, 1}) == error);
        CHECK(check({2, 2}, {1, 1}, {wrong, 1}) == error);
    }
    CHECK(check({0, -1}, {1, 1}) == argument_error{"fat tree", 0, "1 to 2^24 of everything"});  // the first of two
    CHECK(check({2, 2}, {1}) == argument_error{"up", 1, "a number for each level, as in down"});
    CHECK(check({2, 2}, {1, 1}, {1}) == argument_error{"cables", 1, "a number for each level, as in down"});
    CHECK(check({2, 2}, {1, 1, 1}) == argument_error{"up", 3, "a number for each level, as in down"});
    CHECK_FALSE(check({most}, {1}));
    CHECK_FALSE(check({1}, {most}));
    CHECK_FALSE(check({1}, {1}, {most}));
    CHECK(check({most, 1}, {1, 1}) == argument_error{"up", 1, "2^24 cables at most", 1});
    CHECK(check({most}, {2}) == argument_error{"up", 2, "2^24 cables at most", 0});
    CHECK(check({most, most, most}, {1, 1, 1}) == argument_error{"up", 1, "2^24 cables at most", 0});
}

TEST_CASE("fat_tree: both ends of a cable are the vertices that agree in all but one coordinate") {
    const std::vector<rank_t> down{2, 3, 2}, up{2, 2, 3}, cables{2, 1, 2};
    const fat_tree tree(down, up, cables);
    CHECK(tree.nodes() == 12);
    CHECK(tree.cables() == 12 * 2 * 2 + 12 * 2 + 8 * 3 * 2);  // 12 nodes, 12 switches, 8 switches
    for (rank_t from = 0; from < 12; ++from)
        for (rank_t to = 0; to < 12; ++to) {
            std::size_t levels = 0;
            for (rank_t x = from, y = to; x != y; ++levels) x /= down[levels], y /= down[levels];
            // The digits of switches above are those of the receiver in base up, those below of node and receiver.
            rank_t digits[3], chosen = to, first[3] = {0, 48, 72};
            for (std::size_t l = 0; l < 3; ++l) digits[l] = chosen % up[l], chosen /= up[l];
            const way found = route(tree, from, to);
            chosen = to;
            for (std::size_t l = 0; l < levels; ++l) {
                const auto vertex = [&](rank_t node) {
                    rank_t number = 0, stride = 1;
                    for (std::size_t i = 0; i < 3; ++i) {
                        number += (i < l ? digits[i] : node % down[i]) * stride;
                        stride *= i < l ? up[i] : down[i];
                        node /= down[i];
                    }
                    return number;
                };
                const auto cable = [&](rank_t node, rank_t among) {
                    return first[l] + (vertex(node) * up[l] + digits[l]) * cables[l] + among % cables[l];
                };
                chosen /= up[l];
                CHECK(found.up[l] == cable(from, chosen));
                CHECK(found.down[levels - 1 - l] == cable(to, from));
            }
        }
}
