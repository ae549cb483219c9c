#include "collsched/collective/allgather/recursive_multiplying.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::recursive_multiplying>({{"radix", 3}}));
static_assert(support::proved_up_to_17<allgather::recursive_multiplying>::value);
static_assert(proved<verify(allgather::recursive_multiplying{.ranks = 14, .block = 3, .radix = 4})>);

namespace {

/// k^floor(log_k p), and the logarithm.
struct power_below {
    rank_t value = 1;
    step_t exponent = 0;
    power_below(rank_t p, rank_t k) {
        for (; value * k <= p; value *= k) ++exponent;
    }
};

}  // namespace

TEST_CASE("allgather::recursive_multiplying: rounds, messages and bytes equal their formulas, radix 2 to 9") {
    for (rank_t radix = 2; radix <= 9; ++radix)
        for (rank_t p = 1; p <= support::most(256); p += p < 90 ? 1 : 5) {
            CAPTURE(radix);
            CAPTURE(p);
            const rank_t k = radix <= p ? radix : p > 2 ? p : 2;
            const power_below hosts(p, k);
            const rank_t guests = p - hosts.value;
            const metrics_report m =
                support::measured(allgather::recursive_multiplying{.ranks = p, .block = 8, .radix = radix});
            CHECK(m.rounds == hosts.exponent + (guests > 0 ? 2 : 0));
            CHECK(m.messages == hosts.value * hosts.exponent * (k - 1) + 2 * guests);
            CHECK(m.max_in_degree <= k - 1);
            CHECK(m.max_out_degree <= k - 1);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_received[r] == 8 * (p - 1));
                if (guests == 0) CHECK(m.bytes_sent[r] == 8 * (p - 1));
                else CHECK(m.bytes_sent[r] < 8 * (2 * k - 1) * (p - 1));
            }
        }
}

TEST_CASE(
    "allgather::recursive_multiplying: ranks that exchange in step i differ in digit i alone if p is a power of k") {
    for (rank_t k = 2; k <= 6; ++k)
        for (rank_t p = k; p <= 250; p *= k)
            for (const edge& e : edges(allgather::recursive_multiplying{.ranks = p, .block = 1, .radix = k})) {
                if (e.is_local()) continue;
                rank_t weight = 1;
                for (step_t i = 0; i < e.step; ++i) weight *= k;
                CHECK(e.src % weight == e.dst % weight);
                CHECK(e.src / weight / k == e.dst / weight / k);
                CHECK(e.size == weight);
            }
}

TEST_CASE("allgather::recursive_multiplying: radix 2 is recursive doubling") {
    for (rank_t p = 1; p <= support::most(70); ++p) {
        CHECK(support::same_edges(allgather::recursive_doubling{.ranks = p, .block = 3},
                                  allgather::recursive_multiplying{.ranks = p, .block = 3, .radix = 2}));
    }
}

TEST_CASE("allgather::recursive_multiplying: verified for every radix") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (rank_t k = 2; k <= 12; ++k) {
            CAPTURE(p);
            CAPTURE(k);
            CHECK(support::verified(allgather::recursive_multiplying{.ranks = p, .block = 3, .radix = k}).ok());
        }
}

TEST_CASE("allgather::recursive_multiplying: a radix below 2 is rejected, and a radix of p or more takes one round") {
    CHECK(std::string(check(allgather::recursive_multiplying{.ranks = 4, .block = 1, .radix = 1}).text().c_str()) ==
          "radix: got 1, expected 2 or more");
    const allgather::recursive_multiplying huge{.ranks = 9, .block = 1, .radix = INT64_MAX};
    CHECK(support::verified(huge).ok());
    CHECK(support::measured(huge).rounds == 1);
}
