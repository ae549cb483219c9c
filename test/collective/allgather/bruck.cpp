#include "collsched/collective/allgather/bruck.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "collsched/schedule/metrics.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::proved_up_to_17<allgather::bruck>::value);

TEST_CASE("rounds, bytes and average logical communication distance equal their formulas") {
    for (rank_t p = 1; p <= 256; ++p) {
        CAPTURE(p);
        const metrics_report m = metrics(allgather::bruck{.ranks = p, .block = 8});
        CHECK(m.rounds == ceil_log2(p));
        CHECK(m.steps == m.rounds + 1);
        CHECK(m.messages == p * m.rounds);
        std::int64_t sum = 0;
        for (int k = 0; k < ceil_log2(p); ++k) sum += 2 * (std::int64_t{1} << k) * (p - (std::int64_t{1} << k));
        CHECK(m.distance == sum);  // over p * ceil(log2 p) messages
        if (is_power_of_two(p) && p > 1)
            CHECK(m.distance * 3 * floor_log2(p) * p ==
                  (4 * p * p - 6 * p + 2) * m.messages);  // (4p - 6 + 2/p) / 3 log p
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == 8 * (p - 1));
            CHECK(m.copied_bytes[r] == (p == 1 ? 8 : 8 * (p + 1)));
            CHECK(m.scratch[r] == (p == 1 ? 0 : 8 * p));
        }
    }
}
