#include "collsched/collective/broadcast/hierarchical.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/broadcast/scatter_allgather.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/tree/chain.hpp"
#include "support/hierarchies.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t Ranks, rank_t Root>
constexpr bool proved_at = proved<verify(broadcast::hierarchical<>{
    .ranks = Ranks, .root = Root, .bytes = 5, .placement = support::awkward_placement<Ranks>()})>;

using flat = broadcast::over_tree<trees::flat>;

}  // namespace

static_assert(support::has_parameters<broadcast::hierarchical<>>());
static_assert(proved_at<2, 1> && proved_at<3, 1> && proved_at<4, 0> && proved_at<5, 3> && proved_at<7, 4>);

TEST_CASE("broadcast::hierarchical: correct for any placement and any root") {
    support::check_rooted_on_placements(
        [](rank_t p, rank_t root, bytes_t bytes, bytes_t element, const topology::placement& where) {
            return broadcast::hierarchical<>{
                .ranks = p, .root = root, .bytes = bytes, .element = element, .placement = where};
        },
        collective::broadcast, 40);
    support::check_rooted_on_placements(
        [](rank_t p, rank_t root, bytes_t bytes, bytes_t element, const topology::placement& where) {
            return broadcast::hierarchical<flat, broadcast::scatter_ring>{
                .ranks = p, .root = root, .bytes = bytes, .element = element, .placement = where};
        },
        collective::broadcast, 24);
}

TEST_CASE("broadcast::hierarchical: rounds of both parts, and one message per rank and per node, but for the root's") {
    support::for_each_root_and_placement(64, [](rank_t p, rank_t root, const topology::placement& where) {
        const broadcast::hierarchical<> x{.ranks = p, .root = root, .bytes = 8, .placement = where};
        const support::crowd crowd(where, p);
        const metrics_report m = support::measured(x);
        CHECK(m.rounds == ceil_log2(crowd.nodes) + ceil_log2(crowd.fullest));
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_received[r] == (r == root ? 0 : 8));
        rank_t crossings = 0;
        for (const edge& e : edges(x)) crossings += where.ranks() > 0 && where.node(e.src) != where.node(e.dst) ? 1 : 0;
        CHECK(crossings == crowd.nodes - 1);
    });
}

TEST_CASE(
    "broadcast::hierarchical: reversed at root 0, keeps operand order if nodes hold neighbors and both parts keep it") {
    const auto keeps = []<class Broadcast>(const Broadcast& x) { return x.reverse_keeps_order(); };
    const auto neighbors = support::placed_as("AABB"), mixed = support::placed_as("ABBA");
    CHECK(keeps(broadcast::hierarchical<>{.ranks = 4, .placement = neighbors}));
    CHECK(keeps(broadcast::hierarchical<>{.ranks = 4}));
    CHECK(!keeps(broadcast::hierarchical<>{.ranks = 4, .root = 1, .placement = neighbors}));
    CHECK(!keeps(broadcast::hierarchical<>{.ranks = 4, .placement = mixed}));
    CHECK(!keeps(broadcast::hierarchical<>{.ranks = 3, .placement = mixed}));
    CHECK(!keeps(broadcast::hierarchical<flat>{.ranks = 4, .placement = neighbors}));
    CHECK(!keeps(broadcast::hierarchical<broadcast::over_tree<trees::binomial>, broadcast::scatter_ring>{
        .ranks = 4, .placement = neighbors}));
}

TEST_CASE("broadcast::hierarchical: wrong parameters are reported") {
    using x = broadcast::hierarchical<>;
    support::check_placement_errors(x{.bytes = 8});
    CHECK(check(x{.ranks = 4, .root = 4, .placement = support::placed_as("ABBA")}).argument == std::string("root"));
    CHECK(check(x{.ranks = 4, .bytes = -1, .placement = support::placed_as("ABBA")}).argument == std::string("bytes"));
}
