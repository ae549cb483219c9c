#include "collsched/collective/allreduce/rabenseifner.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::swing>, 5>);

TEST_CASE("allreduce::swing: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::swing>, false) == 64);
    support::check_sums(support::of_bytes<allreduce::swing>);
}

TEST_CASE(
    "allreduce::swing: 2 log2 n rounds, two more if n < p, n the power of two up to p; 2 m (n-1)/n bytes per host") {
    for (rank_t p = 1; p <= support::most(100); ++p) support::check_halving(support::of_bytes<allreduce::swing>, p);
}

TEST_CASE("allreduce::swing: partners are nearer than those of recursive halving") {
    for (const rank_t p : {8, 16, 64, 256}) {
        const allreduce::swing x{.ranks = p, .bytes = p};
        const metrics_report m = support::measured(x);
        // Once round the ring; of step s they are about 2^(s+1)/3 away.
        for (const edge& e : edges(x)) {
            if (e.is_local()) continue;
            const rank_t around = (e.dst - e.src + p) % p, away = around < p - around ? around : p - around;
            CHECK(3 * away <= p + 1);
        }
        CHECK(m.messages == 2 * p * floor_log2(p));
    }
}
