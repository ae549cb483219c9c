#include "collsched/collective/allgather/hierarchical.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/core/bits.hpp"
#include "support/hierarchies.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t Ranks>
constexpr bool proved_at = proved<verify(
    allgather::hierarchical<>{.ranks = Ranks, .block = 3, .placement = support::awkward_placement<Ranks>()})>;

}  // namespace

static_assert(support::has_parameters<allgather::hierarchical<>>());
static_assert(proved_at<2> && proved_at<3> && proved_at<4>);

TEST_CASE("allgather::hierarchical: correct for any placement and any layout") {
    support::check_blocks_on_placements(
        [](rank_t p, rank_t, const block_layout& block, const topology::placement& where) {
            return allgather::hierarchical<>{.ranks = p, .block = block, .placement = where};
        },
        collective::allgather, 40);
    support::check_blocks_on_placements(
        [](rank_t p, rank_t, const block_layout& block, const topology::placement& where) {
            return allgather::hierarchical<allgather::bruck>{.ranks = p, .block = block, .placement = where};
        },
        collective::allgather, 24);
}

TEST_CASE(
    "allgather::hierarchical: rounds are those of the gather, of the allgather among nodes, and of the broadcast") {
    support::for_each_placement(48, [](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        const support::crowd crowd(on.where, p);
        const allgather::hierarchical<allgather::ring> around{.ranks = p, .block = 8, .placement = on.where};
        CHECK(support::measured(around).rounds == crowd.nodes - 1 + 2 * ceil_log2(crowd.fullest));
        const metrics_report m =
            support::measured(allgather::hierarchical<>{.ranks = p, .block = 8, .placement = on.where});
        CHECK(m.rounds == ceil_log2(crowd.nodes) + 2 * ceil_log2(crowd.fullest));
        // A leader receives from its own node, then from other nodes; the others receive everything at once.
        const rank_groups groups = groups_of(on.where, p);
        for (rank_t r = 0; r < p; ++r)
            if (groups.index(r) == 0) CHECK(m.bytes_received[r] == 8 * (p - 1));
            else CHECK(m.bytes_received[r] >= 8 * p);
    });
}

TEST_CASE("allgather::hierarchical: wrong parameters are reported") {
    support::check_placement_errors(allgather::hierarchical<>{.block = 8});
    const auto x = [](const block_layout& block) {
        return allgather::hierarchical<>{.ranks = 4, .block = block, .placement = support::placed_as("ABBA")};
    };
    CHECK(check(x(-1)).argument == std::string("block"));
    CHECK(check(x(block_layout::partition(8, 3))).argument == std::string("ranks"));
}
