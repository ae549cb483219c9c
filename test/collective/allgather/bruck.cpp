#include "collsched/collective/allgather/bruck.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::bruck>({{"radix", 2}}));
static_assert(support::proved_up_to_17<allgather::bruck>::value);

TEST_CASE("allgather::bruck: rounds, bytes and average logical communication distance equal their formulas") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(allgather::bruck{.ranks = p, .block = 8});
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

TEST_CASE("allgather::bruck: rounds, messages and bytes equal their formulas, radix 2 to 8") {
    for (rank_t k = 2; k <= 8; ++k)
        for (rank_t p = 1; p <= support::most(256); p += p < 90 ? 1 : 5) {
            CAPTURE(k);
            CAPTURE(p);
            rank_t rounds = 0, messages = 0;
            for (rank_t held = 1; held < p; held *= k, ++rounds)
                for (rank_t digit = 1; digit < k; ++digit) messages += digit * held < p ? 1 : 0;
            const metrics_report m = support::measured(allgather::bruck{.ranks = p, .block = 8, .radix = k});
            CHECK(m.rounds == rounds);
            CHECK(m.steps == rounds + 1);
            CHECK(m.messages == p * messages);
            CHECK(m.max_out_degree <= k - 1);
            CHECK(m.max_in_degree <= k - 1);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == 8 * (p - 1));
                CHECK(m.bytes_received[r] == 8 * (p - 1));
                CHECK(m.scratch[r] == (p == 1 ? 0 : 8 * p));
            }
        }
}

TEST_CASE("allgather::bruck: verified for every radix, separate and in place") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (rank_t k = 2; k <= 9; ++k) {
            CAPTURE(p);
            CAPTURE(k);
            CHECK(support::verified(allgather::bruck{.ranks = p, .block = 3, .radix = k}).ok());
            CHECK(support::verified(allgather::bruck{.ranks = p, .block = 3, .radix = k}, binding::in_place).ok());
        }
}

TEST_CASE("allgather::bruck: a radix below 2 is rejected, and a radix of p or more takes one round") {
    CHECK(std::string(check(allgather::bruck{.ranks = 4, .block = 1, .radix = 1}).text().c_str()) ==
          "radix: got 1, expected 2 or more");
    const allgather::bruck huge{.ranks = 9, .block = 1, .radix = INT64_MAX};
    CHECK(support::verified(huge).ok());
    CHECK(support::measured(huge).rounds == 1);
    CHECK(support::measured(huge).max_out_degree == 8);
}
