#include "collsched/collective/broadcast/hierarchical.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/hierarchies.hpp"
#include "support/matrix_products.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce::hierarchical<>>());

namespace {

template <rank_t Ranks, rank_t Root>
constexpr bool proved_at = proved<verify(reduce::hierarchical<>{
    .ranks = Ranks, .root = Root, .bytes = 5, .placement = support::awkward_placement<Ranks>()})>;

}  // namespace

static_assert(proved_at<2, 1> && proved_at<3, 1> && proved_at<4, 0> && proved_at<5, 3>);

TEST_CASE(
    "reduce::hierarchical: correct for any placement and root, in order at root 0 if every node holds neighbors") {
    support::check_rooted_on_placements(
        [](rank_t p, rank_t root, bytes_t bytes, bytes_t element, const topology::placement& where) {
            return reduce::hierarchical<>{
                .ranks = p, .root = root, .bytes = bytes, .element = element, .placement = where};
        },
        collective::reduce, 32);
    for (const char* seats : {"AABB", "AAABBBB", "ABCCD", "AAAAAA"}) {
        const topology::placement where = support::placed_as(seats);
        const reduce::hierarchical<> x{.ranks = where.ranks(), .bytes = 96, .element = 32, .placement = where};
        CHECK(support::wrong_product(x, binding::separate) == "");
        CHECK(support::wrong_product(x, binding::in_place) == "");
    }
}

TEST_CASE("reduce::hierarchical: rounds and bytes are those of the broadcast") {
    support::for_each_root_and_placement(40, [](rank_t p, rank_t root, const topology::placement& where) {
        const broadcast::hierarchical<> forwards{.ranks = p, .root = root, .bytes = 8, .placement = where};
        const metrics_report m =
            support::measured(reduce::hierarchical<>{.ranks = p, .root = root, .bytes = 8, .placement = where});
        const metrics_report there = support::measured(forwards);
        CHECK(m.rounds == there.rounds);
        CHECK(m.messages == there.messages);
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == there.bytes_received[r]);
            CHECK(m.bytes_received[r] == there.bytes_sent[r]);
        }
    });
}
