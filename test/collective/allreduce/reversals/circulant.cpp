#include "collsched/collective/allreduce/reversals.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::circulant>, 9>);

TEST_CASE("allreduce::circulant: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::circulant>, false) == 64);
    support::check_sums(support::of_bytes<allreduce::circulant>);
}

TEST_CASE(
    "allreduce::circulant: 2 ceil(log2 p) rounds, 2 m (p-1)/p bytes per rank, up to an element per part, for every p") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        support::check_in_parts(support::of_bytes<allreduce::circulant>, p, 2 * ceil_log2(p));
        const metrics_report m = support::measured(allreduce::circulant{.ranks = p, .bytes = 8 * p, .element = 8});
        CHECK(m.messages == 2 * p * ceil_log2(p));
        CHECK(m.max_in_degree == (p > 1 ? 1 : 0));
    }
}
