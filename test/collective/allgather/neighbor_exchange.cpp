#include "collsched/collective/allgather/neighbor_exchange.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::neighbor_exchange>());
static_assert(support::proved_up_to_17<allgather::neighbor_exchange>::value);

TEST_CASE(
    "allgather::neighbor_exchange: rounds, bytes and average logical communication distance equal their formulas") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(allgather::neighbor_exchange{.ranks = p, .block = 8});
        CHECK(m.rounds == (p == 1 ? 0 : p % 2 == 0 ? p / 2 : (p + 3) / 2));
        if (p % 4 == 0) CHECK(m.distance * p == (2 * p - 2) * m.messages);                  // 2 - 2/p
        if (p % 4 == 2) CHECK(m.distance * p * p == (2 * p * p - 4 * p + 4) * m.messages);  // 2 - 4/p + 4/p^2
        CHECK(m.max_out_degree <= 1);
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_received[r] == 8 * (p - 1));
    }
}
