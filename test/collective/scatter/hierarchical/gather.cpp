#include "collsched/collective/scatter/hierarchical.hpp"

#include <doctest/doctest.h>

#include "support/hierarchies.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<gather::hierarchical<>>());

namespace {

template <rank_t Ranks, rank_t Root>
constexpr bool proved_at = proved<verify(gather::hierarchical<>{
    .ranks = Ranks, .root = Root, .block = 3, .placement = support::awkward_placement<Ranks>()})>;

}  // namespace

static_assert(proved_at<2, 1> && proved_at<3, 1> && proved_at<4, 0>);

TEST_CASE("gather::hierarchical: correct for any placement, any root and any layout") {
    support::check_blocks_on_placements(
        [](rank_t p, rank_t root, const block_layout& block, const topology::placement& where) {
            return gather::hierarchical<>{.ranks = p, .root = root, .block = block, .placement = where};
        },
        collective::gather, 32);
}

TEST_CASE("gather::hierarchical: rounds, bytes and scratch are those of the scatter") {
    support::for_each_root_and_placement(32, [](rank_t p, rank_t root, const topology::placement& where) {
        const scatter::hierarchical<> forwards{.ranks = p, .root = root, .block = 8, .placement = where};
        const metrics_report m =
            support::measured(gather::hierarchical<>{.ranks = p, .root = root, .block = 8, .placement = where});
        const metrics_report there = support::measured(forwards);
        CHECK(m.rounds == there.rounds);
        CHECK(m.messages == there.messages);
        CHECK(m.bytes_sent == there.bytes_received);
        CHECK(m.bytes_received == there.bytes_sent);
        CHECK(m.scratch == there.scratch);
    });
}
