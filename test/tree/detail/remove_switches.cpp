#include "collsched/tree/detail/remove_switches.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using namespace trees::detail;

namespace {

arc_paths own_paths(const sink_flows& flows) {
    arc_paths paths;
    for (std::int64_t i = 0; i < flows.graph().arcs(); ++i)
        paths.push_back({{{flows.graph()[i].from, flows.graph()[i].to}, flows.capacity(i)}});
    return paths;
}

}  // namespace

TEST_CASE("remove_switches: a star becomes a complete graph") {
    flow_graph graph(4);
    for (rank_t r = 0; r < 3; ++r) graph.add(r, 3, 2), graph.add(3, r, 2);
    sink_flows flows(graph, 3);
    const std::vector<rank_t> roots{0, 1, 2};
    REQUIRE(flows.supply_roots(roots, 1));
    arc_paths paths = own_paths(flows);
    CHECK(switch_removal(flows, paths).remove(3));
    std::int64_t between = 0;
    for (std::int64_t i = 0; i < flows.graph().arcs(); ++i) {
        if (flows.capacity(i) == 0) continue;
        ++between;
        CHECK(flows.capacity(i) == 1);
        REQUIRE(paths[i].length() == 1);
        CHECK(paths[i][0].capacity == 1);
        CHECK(paths[i][0].vertices == signed_vector<rank_t>{flows.graph()[i].from, 3, flows.graph()[i].to});
    }
    CHECK(between == 6);
}

TEST_CASE("remove_switches: more capacity out than needed remains") {
    flow_graph graph(4);
    graph.add(0, 3, 1), graph.add(3, 1, 1), graph.add(3, 2, 1);
    sink_flows flows(graph, 3);
    const std::vector<rank_t> roots{0};
    REQUIRE(flows.supply_roots(roots, 1));
    arc_paths paths = own_paths(flows);
    CHECK_FALSE(switch_removal(flows, paths).remove(3));
}

TEST_CASE("remove_switches: paths are taken in parts and joined without loops") {
    signed_vector<routed_path> list{{{0, 5, 1}, 2}, {{0, 6, 1}, 3}};
    const signed_vector<routed_path> taken = take_paths(list, 4);
    CHECK(taken.length() == 2);
    CHECK(taken[0].capacity == 3);
    CHECK(taken[1].capacity == 1);
    CHECK(list.length() == 1);
    CHECK(list[0].capacity == 1);
    CHECK(joined_path({0, 5, 6}, {6, 5, 1}) == signed_vector<rank_t>{0, 5, 1});
    CHECK(joined_path({0, 5}, {5, 1}) == signed_vector<rank_t>{0, 5, 1});
}
