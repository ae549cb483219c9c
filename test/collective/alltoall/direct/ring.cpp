#include "collsched/collective/alltoall/direct.hpp"

#include <doctest/doctest.h>

#include "support/exchange_proofs.hpp"

using namespace collsched;

static_assert(support::exchange_proved<alltoall::ring>());

TEST_CASE("alltoall::ring: the peers are those of linear, one step after another") {
    const stored_schedule s = materialize(alltoall::ring{.ranks = 5, .block = 2});
    for (const edge& e : s.edges())
        if (!e.is_local()) CHECK(e.dst == (e.src + e.step + 1) % 5);
    CHECK(s.edges().size() == 25);
    CHECK(s.pacing().window == 1);
}
