#include "collsched/format/clusters/detail/simgrid_fat_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/cables.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using hop = std::pair<rank_t, rank_t>;  // a cable, and 0 up or 1 down

std::vector<hop> hops(const simgrid_fat_tree& tree, rank_t from, rank_t to) {
    std::vector<hop> found;
    tree.route(from, to, [&](rank_t cable, rank_t way) { found.emplace_back(cable, way); }, [](rank_t) {});
    return found;
}
std::vector<rank_t> vertices(const simgrid_fat_tree& tree, rank_t from, rank_t to) {
    std::vector<rank_t> found;
    tree.route(from, to, [](rank_t, rank_t) {}, [&](rank_t v) { found.push_back(v); });
    return found;
}
/// Cables up as a fat_tree has them.
std::vector<hop> upwards(const fat_tree& tree, rank_t from, rank_t to) {
    std::vector<hop> found;
    tree.route(from, to, [&](rank_t cable) { found.emplace_back(cable, 0); }, [](rank_t) {});
    return found;
}

}  // namespace

TEST_CASE("SimGrid's fat trees: hosts, switches and cables are counted") {
    const simgrid_fat_tree tree({4, 4}, {2, 2}, {3, 2});
    CHECK(!tree.check());
    CHECK(tree.hosts() == 16);
    CHECK(tree.vertices() == 16 + 8 + 4);
    CHECK(tree.cables() == 16 * 6 + 8 * 4);
    CHECK(tree.width(5) == 1);
    CHECK(tree.arity() == std::vector<rank_t>{4, 4});
    CHECK(simgrid_fat_tree({4, 4}, {2}, {3, 2}).check());
}

TEST_CASE("SimGrid's fat trees: a cable leads up from one vertex, and every cable is used both ways") {
    const simgrid_fat_tree tree({3, 2, 4}, {2, 2, 3}, {2, 3, 2});
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

TEST_CASE("SimGrid's fat trees: up as in a fat tree, down over the next port") {
    for (const std::vector<std::vector<rank_t>>& shape :
         {std::vector<std::vector<rank_t>>{{4, 4}, {2, 2}, {3, 2}}, {{3, 2, 4}, {2, 2, 3}, {2, 3, 2}}}) {
        const simgrid_fat_tree tree(shape[0], shape[1], shape[2]);
        const fat_tree same(shape[0], shape[1], shape[2]);
        for (rank_t a = 0; a < tree.hosts(); ++a) {
            for (rank_t b = 0; b < tree.hosts(); ++b) {
                if (a == b) continue;
                std::vector<hop> up = hops(tree, a, b);
                std::erase_if(up, [](const hop& h) { return h.second == 1; });
                CHECK(up == upwards(same, a, b));
            }
        }
    }
    const simgrid_fat_tree tree({4, 4}, {2, 2}, {3, 2});
    // As SimGrid 3.32 numbers and takes them.
    CHECK(hops(tree, 0, 14) == std::vector<hop>{{1, 0}, {99, 0}, {122, 1}, {85, 1}});
    CHECK(hops(tree, 0, 15) == std::vector<hop>{{4, 0}, {103, 0}, {126, 1}, {94, 1}});
    CHECK(hops(tree, 0, 0) == std::vector<hop>{{0, 0}, {0, 1}});
}

TEST_CASE("SimGrid's fat trees: positions go on counting from the trees before") {
    const simgrid_fat_tree first({2, 2}, {1, 2}, {1, 2}), second({2, 2}, {1, 2}, {1, 2}, 3);
    // Above its switch the message to host 2 takes cable 2 % 4, and with 3 hosts before cable 5 % 4.
    CHECK(hops(first, 0, 2)[1] == hop{4 + 1, 0});
    CHECK(hops(second, 0, 2)[1] == hop{4 + 2, 0});
}

TEST_CASE("SimGrid's fat trees: a route passes both hosts and each switch between") {
    const simgrid_fat_tree tree({2, 2}, {1, 1}, {1, 1});
    CHECK(vertices(tree, 0, 1) == std::vector<rank_t>{0, 4, 1});
    std::vector<rank_t> far = vertices(tree, 0, 3);
    std::sort(far.begin(), far.end());
    CHECK(far == std::vector<rank_t>{0, 3, 4, 5, 6});
}

TEST_CASE("SimGrid's fat trees: cables lead to the switches above, and routes follow them") {
    for (const std::vector<std::vector<rank_t>>& shape : {std::vector<std::vector<rank_t>>{{4, 4}, {2, 2}, {3, 2}},
                                                          {{3, 2, 4}, {2, 2, 3}, {2, 3, 2}},
                                                          {{5}, {1}, {1}}}) {
        const simgrid_fat_tree tree(shape[0], shape[1], shape[2]);
        CHECK(support::routes_follow_cables(tree));
        const auto ends = support::ends_of_cables(tree);
        CHECK(std::ssize(ends) == tree.cables());
        for (const auto& [cable, pair] : ends) {
            CHECK((cable >= 0 && cable < tree.cables()));
            CHECK((pair.first < pair.second && pair.second < tree.vertices()));
        }
    }
}
