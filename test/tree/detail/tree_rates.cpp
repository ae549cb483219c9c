#include "collsched/tree/detail/tree_rates.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using namespace trees::detail;

TEST_CASE("tree_rates: exact and for a number of trees") {
    // A ring of three ranks, 2 one way and 3 the other: 5/2 enters a rank per root.
    capacity_graph net{3, 1, flow_graph(3)};
    for (rank_t r = 0; r < 3; ++r) net.graph.add(r, (r + 1) % 3, 2), net.graph.add((r + 1) % 3, r, 3);
    const std::vector<rank_t> roots{0, 1, 2};
    const rate_choice choice(net, roots, fraction(5, 2));
    const tree_rates exact = choice.exact();
    CHECK(exact.total == 5);
    CHECK(exact.scale == fraction(2));
    CHECK(exact.graph[1].capacity == 6);
    // One tree per root: capacities 1 and 1 suffice, or 0 and 2.
    const tree_rates one = choice.fixed(1);
    CHECK(one.total == 1);
    CHECK(one.scale == fraction(1, 2));
    CHECK(one.graph[0].capacity == 1);
    CHECK(one.graph[1].capacity == 1);
    CHECK(choice.fixed(5).scale == exact.scale);
}
