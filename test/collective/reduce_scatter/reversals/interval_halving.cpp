#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/bracketings.hpp"
#include "support/brief.hpp"
#include "support/ordered_blocks.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::interval_halving>());
static_assert(support::proved_up_to_17<reduce_scatter::interval_halving>::value);

TEST_CASE("reduce_scatter::interval_halving: keeps the order of operands, for every layout") {
    support::check_keeps_order<reduce_scatter::interval_halving>();
    support::check_products<reduce_scatter::interval_halving>();
}

TEST_CASE("reduce_scatter::interval_halving: every byte is the canonical tree") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const auto& [name, layout] : support::layouts(p, 2)) {
            if (layout.prefix(p) > 1000) continue;
            INFO(name, " p=", p);
            CHECK(support::wrong_tree(reduce_scatter::interval_halving{.ranks = p, .block = layout},
                                      binding::separate) == "");
        }
    for (const rank_t p : {64, 100})
        CHECK(support::wrong_tree(reduce_scatter::interval_halving{.ranks = p, .block = 1}, binding::in_place) == "");
}

TEST_CASE(
    "reduce_scatter::interval_halving: ceil(log2 p) rounds, p-1 blocks sent, at most 3/2 (p-1) received, for every p") {
    for (rank_t p = 1; p <= support::most(130); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(reduce_scatter::interval_halving{.ranks = p, .block = 8});
        CHECK(m.rounds == ceil_log2(p));
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == 8 * (p - 1));
            CHECK(2 * m.bytes_received[r] <= 8 * (is_power_of_two(p) ? 2 * (p - 1) : 3 * (p - 1)));
        }
    }
}
