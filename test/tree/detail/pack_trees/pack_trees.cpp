#include "collsched/tree/detail/pack_trees.hpp"

#include <doctest/doctest.h>

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
