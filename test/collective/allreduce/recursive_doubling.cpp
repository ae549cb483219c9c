#include "collsched/collective/allreduce/recursive_doubling.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"

using namespace collsched;

static_assert(support::has_parameters<allreduce::recursive_doubling>());
static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::recursive_doubling>, 9>);

TEST_CASE("allreduce::recursive_doubling: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::recursive_doubling>, true) == 64);
    support::check_sums(support::of_bytes<allreduce::recursive_doubling>);
}

TEST_CASE(
    "allreduce::recursive_doubling: log2 n rounds, two more if n < p; m log2 n bytes per rank, scratch of guests") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        const step_t rounds = floor_log2(p);
        const allreduce::recursive_doubling x{.ranks = p, .bytes = 24, .element = 8};
        support::check_pairs_folded(x, p, 24, rounds, 24 * rounds, 24 * rounds);
        const rank_t guests = p - floor_power_of_two(p);
        for (rank_t r = 0; r < p; ++r) CHECK(lower(x).scratch(r) == (r < 2 * guests && r % 2 == 1 ? 24 : 0));
    }
    CHECK(!allreduce::recursive_doubling::info.commutative);
}
