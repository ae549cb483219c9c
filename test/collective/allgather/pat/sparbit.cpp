#include "collsched/collective/allgather/pat.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::sparbit>());
static_assert(support::proved_up_to_17<allgather::sparbit>::value);

TEST_CASE("allgather::sparbit: rounds, messages and bytes equal their formulas, for every p") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        support::check_counts(allgather::sparbit{.ranks = p, .block = 8}, ceil_log2(p), p * ceil_log2(p));
    }
}

TEST_CASE("allgather::sparbit: distances halve, and the bits of p decide where the last block is left out") {
    for (rank_t p = 2; p <= support::most(200); ++p) {
        CAPTURE(p);
        const rank_t r = p / 3;
        const support::sent_blocks sent(allgather::sparbit{.ranks = p, .block = 1}, r);
        CHECK(sent.once);
        const int zeros = std::countr_zero(static_cast<std::uint64_t>(p));
        const rank_t left_out = (~(p >> zeros) | 1) << zeros;
        rank_t held = 1, distance = rank_t{1} << (ceil_log2(p) - 1);
        for (step_t k = 0; k < ceil_log2(p); ++k, distance /= 2) {
            const rank_t less = (distance & left_out) == distance ? 1 : 0;
            std::set<rank_t> expected;
            for (rank_t t = 0; t < held - less; ++t) expected.insert((r - 2 * t * distance + p) % p);
            REQUIRE(sent.messages.contains({k, (r + distance) % p}));
            CHECK(sent.messages.at({k, (r + distance) % p}) == expected);
            held = 2 * held - less;
        }
        CHECK(held == p);
    }
}

TEST_CASE("allgather::sparbit: equals PAT with the largest aggregate") {
    for (rank_t p = 1; p <= support::most(70); ++p) {
        CHECK(support::same_edges(allgather::sparbit{.ranks = p, .block = 3},
                                  allgather::pat{.ranks = p, .block = 3, .aggregate = 128}));
    }
}
