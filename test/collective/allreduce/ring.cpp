#include "collsched/collective/allreduce/ring.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::ring>, 9>);

TEST_CASE("allreduce::ring: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::ring>, false) == 64);
    support::check_sums(support::of_bytes<allreduce::ring>);
}

TEST_CASE("allreduce::ring: 2(p-1) rounds and the least bytes, 2 m (p-1)/p per rank, up to an element per part") {
    for (rank_t p = 1; p <= support::most(130); ++p) {
        support::check_in_parts(support::of_bytes<allreduce::ring>, p, 2 * (p - 1));
        const metrics_report m = support::measured(allreduce::ring{.ranks = p, .bytes = 8 * p, .element = 8});
        CHECK(m.messages == 2 * p * (p - 1));
        CHECK(m.connections[p / 2] == (p > 2 ? 2 : p - 1));
        CHECK(m.scratch[p / 2] == 0);
    }
}
