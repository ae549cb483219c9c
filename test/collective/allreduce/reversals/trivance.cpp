#include "collsched/collective/allreduce/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/digits.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::trivance>, 9>);

TEST_CASE("allreduce::trivance: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::trivance>, false) == 64);
    support::check_sums(support::of_bytes<allreduce::trivance>);
}

TEST_CASE("allreduce::trivance: 2 ceil(log3 p) rounds, 2 m (p-1)/p bytes per rank, up to an element per part") {
    for (rank_t p = 1; p <= support::most(130); ++p)
        support::check_in_parts(support::of_bytes<allreduce::trivance>, p, 2 * ceil_log(3, p));
}
