#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::recursive_multiplying>({{"radix", 3}}));
static_assert(detail::same_text(reduce_scatter::recursive_multiplying::info.name, "recursive-multiplying") &&
              reduce_scatter::recursive_multiplying::info.commutative);
static_assert(support::proved_up_to_17<reduce_scatter::recursive_multiplying>::value);

TEST_CASE("reduce_scatter::recursive_multiplying: rounds and bytes equal their formulas, radix 2 to 5") {
    for (rank_t k = 2; k <= 5; ++k)
        for (rank_t p = k; p <= support::most(256); p += p < 90 ? 1 : 5) {
            CAPTURE(k);
            CAPTURE(p);
            rank_t hosts = 1;
            step_t rounds = 0;
            for (; hosts * k <= p; hosts *= k) ++rounds;
            const metrics_report m =
                support::measured(reduce_scatter::recursive_multiplying{.ranks = p, .block = 8, .of = {.radix = k}});
            CHECK(m.rounds == rounds + (hosts == p ? 0 : 2));
            CHECK(m.max_in_degree <= k - 1);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == 8 * (p - 1));
                if (hosts == p) CHECK(m.bytes_received[r] == 8 * (p - 1));
            }
        }
}

TEST_CASE("reduce_scatter::recursive_multiplying: verified for every radix, with several operands in one step") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (rank_t k = 2; k <= 12; ++k) {
            CAPTURE(p);
            CAPTURE(k);
            CHECK(support::verified(reduce_scatter::recursive_multiplying{.ranks = p, .block = 3, .of = {.radix = k}})
                      .ok());
        }
}

TEST_CASE("reduce_scatter::recursive_multiplying: staging beyond 64 bits is rejected") {
    CHECK(support::verified(
              reduce_scatter::recursive_multiplying{.ranks = 9, .block = bytes_t{1} << 59, .of = {.radix = 3}})
              .ok());
    CHECK(support::verified(
              reduce_scatter::recursive_multiplying{.ranks = 9, .block = bytes_t{1} << 59, .of = {.radix = 4}})
              .finding == verdict::kind::small_staging);
}
