#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/digits.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::trivance>());
static_assert(support::proved_for<reduce_scatter::trivance, 1, 2, 3, 4, 5, 6, 7, 8, 9>);

TEST_CASE("reduce_scatter::trivance: correct in ceil(log3 p) rounds with p-1 blocks sent and received by every rank") {
    for (rank_t p = 1; p <= support::most(130); ++p) {
        CAPTURE(p);
        const reduce_scatter::trivance x{.ranks = p, .block = 8};
        CHECK(support::verified(x).ok());
        const metrics_report m = support::measured(x);
        CHECK(m.rounds == ceil_log(3, p));
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == 8 * (p - 1));
            CHECK(m.bytes_received[r] == 8 * (p - 1));
        }
    }
}
