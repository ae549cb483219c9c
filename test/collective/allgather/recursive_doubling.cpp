#include "collsched/collective/allgather/recursive_doubling.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::recursive_doubling>());
static_assert(support::proved_up_to_17<allgather::recursive_doubling>::value);

TEST_CASE(
    "allgather::recursive_doubling: rounds, bytes and average logical communication distance equal their formulas") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(allgather::recursive_doubling{.ranks = p, .block = 8});
        CHECK(m.rounds == floor_log2(p) + (is_power_of_two(p) ? 0 : 2));
        if (p != 3) CHECK(m.rounds <= std::max(2 * floor_log2(p), 0));
        if (is_power_of_two(p) && p > 1) CHECK(m.distance * floor_log2(p) == (p - 1) * m.messages);  // (p-1) / log p
        CHECK(m.max_out_degree <= 1);
        CHECK(m.max_in_degree <= 1);
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_received[r] == 8 * (p - 1));
            CHECK(m.bytes_sent[r] <= (is_power_of_two(p) ? 8 * (p - 1) : 24 * (p - 1) - 1));
        }
    }
}
