#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/scatter/hierarchical.hpp"
#include "collsched/collective/scatter/over_tree.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/core/bits.hpp"
#include "support/hierarchies.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t Ranks, rank_t Root>
constexpr bool proved_at = proved<verify(scatter::hierarchical<>{
    .ranks = Ranks, .root = Root, .block = 3, .placement = support::awkward_placement<Ranks>()})>;

/// A scatter whose root packs in scratch the blocks of inner ranks.
using packing = scatter::over_tree<trees::binomial, gather::root_receive::instant>;

}  // namespace

static_assert(support::has_parameters<scatter::hierarchical<>>());
static_assert(proved_at<2, 1> && proved_at<3, 1> && proved_at<4, 0>);

TEST_CASE("scatter::hierarchical: correct for any placement, any root and any layout") {
    support::check_blocks_on_placements(
        [](rank_t p, rank_t root, const block_layout& block, const topology::placement& where) {
            return scatter::hierarchical<>{.ranks = p, .root = root, .block = block, .placement = where};
        },
        collective::scatter, 32);
    support::check_blocks_on_placements(
        [](rank_t p, rank_t root, const block_layout& block, const topology::placement& where) {
            return scatter::hierarchical<packing>{.ranks = p, .root = root, .block = block, .placement = where};
        },
        collective::scatter, 10);
    support::check_blocks_on_placements(
        [](rank_t p, rank_t root, const block_layout& block, const topology::placement& where) {
            return scatter::hierarchical<scatter::linear, packing>{
                .ranks = p, .root = root, .block = block, .placement = where};
        },
        collective::scatter, 10);
}

TEST_CASE(
    "scatter::hierarchical: rounds of both parts, the root sends all other blocks, leaders have scratch for a node") {
    support::for_each_root_and_placement(32, [](rank_t p, rank_t root, const topology::placement& where) {
        const scatter::hierarchical<> x{.ranks = p, .root = root, .block = 8, .placement = where};
        const support::crowd crowd(where, p);
        const metrics_report m = support::measured(x);
        CHECK(m.rounds == ceil_log2(crowd.nodes) + ceil_log2(crowd.fullest));
        CHECK(m.bytes_sent[root] == 8 * (p - 1));
        const rank_groups groups = groups_of(where, p);
        for (rank_t r = 0; r < p; ++r) {
            const rank_t g = groups.group(r);
            if (r != root) CHECK(m.bytes_received[r] >= 8);
            if (groups.index(r) == 0 && g != groups.group(root)) CHECK(m.scratch[r] >= 8 * groups.size(g));
        }
    });
}

TEST_CASE("scatter::hierarchical: wrong parameters are reported") {
    using x = scatter::hierarchical<>;
    support::check_placement_errors(x{.block = 8});
    CHECK(check(x{.ranks = 4, .root = 4, .block = 8, .placement = support::placed_as("ABBA")}).argument ==
          std::string("root"));
    CHECK(check(x{.ranks = 4, .block = block_layout::partition(8, 3), .placement = support::placed_as("ABBA")})
              .argument == std::string("ranks"));
}
