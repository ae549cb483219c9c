#include "collsched/collective/allgather/ring.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::ring>());
static_assert(support::proved_up_to_17<allgather::ring>::value);

TEST_CASE("allgather::ring: rounds, bytes and average logical communication distance equal their formulas") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(allgather::ring{.ranks = p, .block = 8});
        CHECK(m.rounds == p - 1);
        CHECK(m.distance * p == (2 * p - 2) * m.messages);  // 2 - 2/p
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_sent[r] == 8 * (p - 1));
    }
}
