#include "collsched/collective/broadcast/scatter_allgather.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::rooted_proved_up_to<support::of_root<broadcast::scatter_circulant>, 9>);

TEST_CASE("broadcast::scatter_circulant: correct for every number of ranks, in both bindings") {
    support::check_rooted(support::of_root<broadcast::scatter_circulant>, collective::broadcast, 48);
}

TEST_CASE(
    "broadcast::scatter_circulant: 2 ceil(log2 p) rounds, and at most 2 m (p-1)/p bytes sent and received per rank") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        const metrics_report m =
            support::measured(broadcast::scatter_circulant{.ranks = p, .root = p / 2, .bytes = 8 * p, .element = 8});
        CHECK(m.rounds == 2 * ceil_log2(p));
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] <= 16 * (p - 1));
            CHECK(m.bytes_received[r] <= 16 * (p - 1));
        }
    }
}
