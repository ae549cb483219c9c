#include "collsched/collective/reduce/reduce_scatter_gather.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::rooted_proved_up_to<support::of_root<reduce::rabenseifner>, 7>);
static_assert(reduce::rabenseifner::info.commutative);

TEST_CASE("reduce::rabenseifner: correct for every number of ranks, in both bindings") {
    support::check_rooted(support::of_root<reduce::rabenseifner>, collective::reduce, 64);
}

TEST_CASE("reduce::rabenseifner: rounds equal their formula, and 2 m (p-1)/p bytes to the root of a power of two") {
    for (rank_t p = 1; p <= support::most(300); ++p)
        for (const rank_t root : {rank_t{0}, p - 1}) {
            CAPTURE(p);
            const bool power = is_power_of_two(p);
            const metrics_report m =
                support::measured(reduce::rabenseifner{.ranks = p, .root = root, .bytes = 8 * p, .element = 8});
            CHECK(m.rounds == floor_log2(p) + (power ? 0 : 2) + ceil_log2(p));
            if (power) CHECK(m.bytes_received[root] == 16 * (p - 1));
            CHECK(m.max_in_degree == (p > 1 ? 1 : 0));
        }
}
