#include "collsched/collective/allreduce/rabenseifner.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"

using namespace collsched;

static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::rabenseifner>, 5>);

TEST_CASE("allreduce::rabenseifner: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::rabenseifner>, false) == 64);
    support::check_sums(support::of_bytes<allreduce::rabenseifner>);
}

TEST_CASE(
    "allreduce::rabenseifner: 2 log2 n rounds, two more if n < p, n the power of two up to p; 2 m (n-1)/n bytes") {
    for (rank_t p = 1; p <= support::most(130); ++p)
        support::check_halving(support::of_bytes<allreduce::rabenseifner>, p);
}
