#include "collsched/collective/allreduce/reversals.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"

using namespace collsched;

static_assert(support::allreduce_proved_for<support::of_bytes<allreduce::bine>, 1, 2, 4, 6, 8, 10>);

TEST_CASE("allreduce::bine: correct for every even number of ranks and for 1, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::bine>, false) == 33);
    support::check_sums(support::of_bytes<allreduce::bine>);
}

TEST_CASE("allreduce::bine: 2 ceil(log2 p) rounds, 2 m (p-1)/p bytes per rank, up to an element per part, for even p") {
    for (rank_t p = 2; p <= support::most(300); p += 2)
        support::check_in_parts(support::of_bytes<allreduce::bine>, p, 2 * ceil_log2(p));
    CHECK(check(allreduce::bine{.ranks = 7, .bytes = 8}).value == 7);
}
