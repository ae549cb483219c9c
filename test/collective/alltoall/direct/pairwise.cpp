#include "collsched/collective/alltoall/direct.hpp"

#include <doctest/doctest.h>

#include "support/exchange_proofs.hpp"

using namespace collsched;

static_assert(support::exchange_proved<alltoall::pairwise>());

TEST_CASE("alltoall::pairwise: pairs exchange if p is a power of two, else ranks are shifted") {
    for (rank_t p = 2; p <= 20; ++p) {
        const stored_schedule s = materialize(alltoall::pairwise{.ranks = p, .block = 2});
        for (const edge& e : s.edges()) {
            if (e.is_local()) continue;
            if (p == 2 || p == 4 || p == 8 || p == 16) CHECK((e.src ^ e.dst) == e.step + 1);
            else CHECK(e.dst == (e.src + e.step + 1) % p);
        }
    }
}
