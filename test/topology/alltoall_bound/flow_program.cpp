#include "collsched/topology/alltoall_bound.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using topology::network;
using namespace topology::detail;

namespace {

/// Adds the columns of all ranks by some prices.
void add_columns(flow_program& program, const capacity_graph& net, const std::vector<std::int64_t>& prices) {
    shortest_paths paths;
    for (rank_t r = 0; r < net.ranks; ++r) {
        paths.find(net.graph, prices, r);
        program.add(r, paths, prices);
    }
}

}  // namespace

TEST_CASE("flow_program: parallel links share in proportion to their bandwidths") {
    const std::vector<network::link> links{{0, 1, 10}, {0, 1, 30}, {1, 0, 50}};
    const capacity_graph net = make_capacity_graph(network(2, 0, links));
    flow_program program(net, 5);
    add_columns(program, net, {1, 1, 1});
    REQUIRE(program.solve());
    CHECK(program.attained() == doctest::Approx(4));  // in units of 10
    CHECK(program.price(2) == doctest::Approx(0));
}

TEST_CASE("flow_program: a detour is used once its column is added") {
    // Rank 0 sends to rank 1 directly or through switch 2.
    const std::vector<network::link> links{{0, 1, 1}, {1, 0, 9}, {0, 2, 2}, {2, 1, 3}};
    const capacity_graph net = make_capacity_graph(network(2, 1, links));
    flow_program program(net, 5);
    add_columns(program, net, {1, 1, 1, 1});
    REQUIRE(program.solve());
    CHECK(program.attained() == doctest::Approx(1));
    CHECK(program.price(0) > 0.1);
    CHECK(program.price(2) == doctest::Approx(0));
    add_columns(program, net, {9, 1, 1, 1});
    REQUIRE(program.solve());
    CHECK(program.attained() == doctest::Approx(3));
    CHECK(program.price(0) == doctest::Approx(program.price(2)));
    CHECK(program.price(3) == doctest::Approx(0));
}
