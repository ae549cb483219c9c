#include "collsched/collective/broadcast/scatter_allgather.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::rooted_proved_up_to<support::of_root<broadcast::scatter_recursive_doubling>, 9>);

TEST_CASE("broadcast::scatter_recursive_doubling: correct for every number of ranks, in both bindings") {
    support::check_rooted(support::of_root<broadcast::scatter_recursive_doubling>, collective::broadcast, 48);
}

TEST_CASE(
    "broadcast::scatter_recursive_doubling: rounds equal their formula, at most 2 m (p-1)/p bytes received per rank") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(
            broadcast::scatter_recursive_doubling{.ranks = p, .root = p / 2, .bytes = 8 * p, .element = 8});
        CHECK(m.rounds == ceil_log2(p) + floor_log2(p) + (is_power_of_two(p) ? 0 : 2));
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_received[r] <= 16 * (p - 1));
    }
}
