#include "collsched/tree/detail/route_trees.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace trees::detail;

TEST_CASE("route_trees: a tree is split until each edge has one path") {
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
