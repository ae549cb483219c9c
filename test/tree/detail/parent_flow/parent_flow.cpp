#include "collsched/tree/detail/parent_flow.hpp"

#include <doctest/doctest.h>

#include "collsched/topology/networks.hpp"
#include "support/network_walks.hpp"

using namespace collsched;
using trees::detail::parent_flow;
using trees::detail::parent_share;
using trees::detail::signed_vector;

namespace {

/// A ring of five ranks, whose walks lead from both neighbors.
struct ring_of_five : support::network_walks {
    signed_vector<rank_t> level{0, 1, 2, 2, 1};

    ring_of_five() : support::network_walks(topology::networks::ring(5, {})) {}
};

std::int64_t sum_of(const signed_vector<parent_share>& shares) {
    std::int64_t sum = 0;
    for (const parent_share& one : shares) sum += one.weight;
    return sum;
}

}  // namespace

TEST_CASE("parent_flow: both directions of a ring share the ranks") {
    ring_of_five ring;
    REQUIRE(ring.found);
    parent_flow flow(ring.group, ring.search, ring.limits, ring.level);
    REQUIRE(flow.assign(1, {2, 2}));
    signed_vector<std::int64_t> uses(2, 0);
    for (rank_t v = 1; v < 5; ++v) {
        REQUIRE(flow.shares(v).length() == 1);
        CHECK(flow.shares(v)[0].weight == 1);
        uses[flow.shares(v)[0].walk] += 1;
    }
    CHECK(uses == signed_vector<std::int64_t>{2, 2});
    CHECK(flow.shares(1)[0].walk == flow.shares(2)[0].walk);
    CHECK(flow.shares(3)[0].walk == flow.shares(4)[0].walk);
}

TEST_CASE("parent_flow: parents of equal levels where lower ones do not suffice") {
    ring_of_five ring;
    parent_flow flow(ring.group, ring.search, ring.limits, ring.level);
    CHECK(flow.before(2, 3));
    CHECK_FALSE(flow.before(3, 2));
    CHECK(flow.before(4, 2));
    CHECK(flow.level(3) == 2);
    const std::int64_t forward = [&] {
        REQUIRE(flow.assign(1, {2, 2}));
        return flow.shares(1)[0].walk;
    }();
    signed_vector<std::int64_t> capacity{1, 1};
    capacity[ring.limits.of_walk[forward]] = 3;
    REQUIRE(flow.assign(1, capacity));
    CHECK(flow.shares(3)[0].walk == forward);
    for (rank_t v = 1; v < 5; ++v) CHECK(sum_of(flow.shares(v)) == 1);
}

TEST_CASE("parent_flow: the cut states for how many trees capacities suffice") {
    ring_of_five ring;
    parent_flow flow(ring.group, ring.search, ring.limits, ring.level);
    CHECK_FALSE(flow.assign(4, {6, 6}));
    CHECK(flow.cut() == fraction(3));
    CHECK(flow.assign(3, {6, 6}));
    CHECK_FALSE(flow.assign(1, {4, 0}));
    CHECK(flow.cut() == fraction(0));
    CHECK(flow.assign(2, {4, 4}));
    for (rank_t v = 1; v < 5; ++v) CHECK(sum_of(flow.shares(v)) == 2);
}
