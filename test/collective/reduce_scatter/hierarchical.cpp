#include "collsched/collective/reduce_scatter/hierarchical.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/reduce_scatter/butterfly.hpp"
#include "collsched/collective/reduce_scatter/reversals.hpp"
#include "collsched/core/bits.hpp"
#include "support/hierarchies.hpp"
#include "support/matrix_products.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

using in_order = reduce_scatter::hierarchical<reduce_scatter::butterfly>;

template <rank_t Ranks>
constexpr bool proved_at = proved<verify(
    reduce_scatter::hierarchical<>{.ranks = Ranks, .block = 3, .placement = support::awkward_placement<Ranks>()})>;

constexpr auto always = [](rank_t, const topology::placement&) { return true; };
constexpr auto unless_neighbors = [](rank_t p, const topology::placement& where) {
    return !support::crowd(where, p).neighbors();
};

}  // namespace

static_assert(support::has_parameters<reduce_scatter::hierarchical<>>());
static_assert(proved_at<2> && proved_at<3> && proved_at<4>);

TEST_CASE("reduce_scatter::hierarchical: correct for any placement and any layout") {
    support::check_blocks_on_placements(
        [](rank_t p, rank_t, const block_layout& block, const topology::placement& where) {
            return reduce_scatter::hierarchical<>{.ranks = p, .block = block, .placement = where};
        },
        collective::reduce_scatter, 32, always);
}

TEST_CASE("reduce_scatter::hierarchical: in order if every node holds neighbors and both parts keep the order") {
    support::check_blocks_on_placements(
        [](rank_t p, rank_t, const block_layout& block, const topology::placement& where) {
            return in_order{.ranks = p, .block = block, .placement = where};
        },
        collective::reduce_scatter, 24, unless_neighbors);
    for (const char* seats : {"AABB", "AAABBBB", "ABCCD", "AAAAAA", "ABCDEFG"}) {
        const topology::placement where = support::placed_as(seats);
        const in_order x{.ranks = where.ranks(), .block = support::matrix_bytes, .placement = where};
        CHECK(support::wrong_product(x, binding::separate) == "");
        CHECK(support::wrong_product(x, binding::in_place) == "");
    }
}

TEST_CASE("reduce_scatter::hierarchical: rounds of the reduce, the reduce_scatter and the scatter, and scratch") {
    support::for_each_placement(40, [](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        const support::crowd crowd(on.where, p);
        const reduce_scatter::hierarchical<reduce_scatter::ring> around{.ranks = p, .block = 8, .placement = on.where};
        CHECK(support::measured(around).rounds == crowd.nodes - 1 + 2 * ceil_log2(crowd.fullest));
        const metrics_report m =
            support::measured(reduce_scatter::hierarchical<>{.ranks = p, .block = 8, .placement = on.where});
        CHECK(m.rounds == ceil_log2(crowd.nodes) + 2 * ceil_log2(crowd.fullest));
        const rank_groups groups = groups_of(on.where, p);
        for (rank_t r = 0; r < p; ++r) {
            const rank_t own = 8 * groups.size(groups.group(r)), outer = groups.groups() > 1 ? 8 * p : 0;
            if (groups.index(r) == 0) CHECK(m.scratch[r] == (p == 1 ? 0 : 8 * p + own + outer));
            else CHECK(m.scratch[r] == 8 * p);  // the vector that it sends up
        }
    });
}

TEST_CASE("reduce_scatter::hierarchical: wrong parameters are reported") {
    support::check_placement_errors(reduce_scatter::hierarchical<>{.block = 8});
    const auto x = [](const block_layout& block) {
        return reduce_scatter::hierarchical<>{.ranks = 4, .block = block, .placement = support::placed_as("ABBA")};
    };
    CHECK(check(x(-1)).argument == std::string("block"));
    CHECK(check(x(block_layout::partition(8, 3))).argument == std::string("ranks"));
}
