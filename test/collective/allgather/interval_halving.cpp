#include "collsched/collective/allgather/interval_halving.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::interval_halving>());
static_assert(support::has_parameters<allgather::detail::interval_halving_by_place>());
static_assert(support::proved_up_to_17<allgather::interval_halving>::value);

TEST_CASE(
    "allgather::interval_halving: ceil(log2 p) rounds, p-1 blocks received, at most 3/2 (p-1) sent, for every p") {
    for (rank_t p = 1; p <= support::most(200); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(allgather::interval_halving{.ranks = p, .block = 8});
        CHECK(m.rounds == ceil_log2(p));
        CHECK(m.max_in_degree <= (is_power_of_two(p) ? 1 : 2));
        CHECK(m.max_out_degree <= (is_power_of_two(p) ? 1 : 2));
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_received[r] == 8 * (p - 1));
            CHECK(2 * m.bytes_sent[r] <= 8 * (is_power_of_two(p) ? 2 * (p - 1) : 3 * (p - 1)));
        }
    }
}

TEST_CASE("allgather::interval_halving: three times a power of two sends at most 5/4 of the blocks") {
    for (rank_t p = 6; p <= 384; p *= 2)
        for (const bytes_t sent : support::measured(allgather::interval_halving{.ranks = p, .block = 1}).bytes_sent)
            CHECK(4 * sent <= 5 * p);
}

TEST_CASE("allgather::interval_halving: halves of equal size exchange between equal places") {
    for (rank_t p = 2; p <= 64; p *= 2)
        for (const edge& e : edges(allgather::interval_halving{.ranks = p, .block = 1}))
            if (!e.is_local()) CHECK((e.src ^ e.dst) == p >> (e.step + 1));
}

TEST_CASE("allgather::interval_halving: consecutive blocks of a message are one edge") {
    for (rank_t p = 2; p <= 33; ++p) {
        edge last;
        for (const edge& e : edges(allgather::interval_halving{.ranks = p, .block = 4})) {
            if (e.step == last.step && e.src == last.src && e.dst == last.dst && !e.is_local())
                CHECK(e.into_offset > last.into_offset + last.size);
            last = e;
        }
    }
}
