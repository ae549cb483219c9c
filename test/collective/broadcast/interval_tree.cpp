#include "collsched/collective/broadcast/interval_tree.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<broadcast::interval_tree>());
static_assert(support::rooted_proved_up_to<support::of_root<broadcast::interval_tree>, 7>);

TEST_CASE("broadcast::interval_tree: correct for every root, in ceil(log2 p) rounds of one message per rank") {
    support::check_rooted(support::of_root<broadcast::interval_tree>, collective::broadcast, 40);
    for (rank_t p = 1; p <= support::most(130); ++p) {
        const metrics_report m = support::measured(broadcast::interval_tree{.ranks = p, .root = p / 2, .bytes = 8});
        CHECK(m.rounds == ceil_log2(p));
        CHECK(m.messages == p - 1);
        CHECK(m.max_out_degree <= 1);
    }
}
