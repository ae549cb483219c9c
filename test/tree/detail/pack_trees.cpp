#include "collsched/tree/detail/pack_trees.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

using namespace collsched;
using namespace trees::detail;

TEST_CASE("pack_trees: two trees of each rank of a ring in both directions") {
    flow_graph graph(3);
    for (rank_t r = 0; r < 3; ++r) graph.add(r, (r + 1) % 3, 2), graph.add((r + 1) % 3, r, 2);
    sink_flows flows(graph, 3);
    const std::vector<rank_t> roots{0, 1, 2};
    REQUIRE(flows.supply_roots(roots, 2));
    tree_packing packing(flows);
    for (const rank_t root : roots) CHECK(packing.pack(root, 2));
    std::vector<std::int64_t> weight(3), used(6);
    for (const tree_class& one : packing.trees()) {
        weight[static_cast<std::size_t>(one.root)] += one.multiplicity;
        CHECK(one.reached.length() == 3);
        CHECK(one.arcs.length() == 2);
        for (const std::int64_t arc : one.arcs) used[static_cast<std::size_t>(arc)] += one.multiplicity;
    }
    CHECK(weight == std::vector<std::int64_t>{2, 2, 2});
    CHECK(used == std::vector<std::int64_t>(6, 2));
    for (std::int64_t arc = 0; arc < 6; ++arc) CHECK(flows.capacity(arc) == 0);
}

TEST_CASE("pack_trees: a tree is split until each edge has one path") {
    flow_graph graph(3);
    graph.add(0, 1, 5), graph.add(1, 2, 5);
    const arc_paths paths{{{{0, 3, 1}, 2}, {{0, 1}, 3}}, {{{1, 2}, 5}}};
    const tree_class one{0, 5, {0, 1, 2}, {0, 1}, {}, {}, 0, 0};
    tree_router router(graph, paths);
    router.add(one);
    const trees::forest made = router.result();
    REQUIRE(made.trees.size() == 2);
    CHECK(made.trees[0].weight + made.trees[1].weight == 5);
    for (const trees::forest::tree& tree : made.trees) {
        REQUIRE(made.edges_of(tree).size() == 2);
        CHECK(made.path(made.edges_of(tree)[0]).size() == (tree.weight == 2 ? 3U : 2U));
        CHECK(made.edges_of(tree)[1].from == 1);
    }
}

TEST_CASE("pack_trees: an edge takes the smallest path that suffices alone, or the largest if none does") {
    flow_graph graph(2);
    graph.add(0, 1, 10);
    const arc_paths paths{{{{0, 2, 1}, 2}, {{0, 3, 1}, 5}, {{0, 4, 1}, 3}}};
    const auto first_paths = [&](std::int64_t weight) {
        tree_router router(graph, paths);
        router.add({0, weight, {0, 1}, {0}, {}, {}, 0, 0});
        const trees::forest made = router.result();
        std::vector<std::pair<rank_t, std::int64_t>> found;  // switch, weight
        for (const trees::forest::tree& tree : made.trees)
            found.push_back({made.path(made.edges_of(tree)[0])[1], tree.weight});
        std::sort(found.begin(), found.end());
        return found;
    };
    using list = std::vector<std::pair<rank_t, std::int64_t>>;
    CHECK(first_paths(2) == list{{2, 2}});
    CHECK(first_paths(3) == list{{4, 3}});
    CHECK(first_paths(4) == list{{3, 4}});
    CHECK(first_paths(7) == list{{2, 2}, {3, 5}});
    CHECK(first_paths(8) == list{{3, 5}, {4, 3}});
    CHECK(first_paths(10) == list{{2, 2}, {3, 5}, {4, 3}});
}
