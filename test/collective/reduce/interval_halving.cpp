#include "collsched/collective/reduce/reduce_scatter_gather.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

#include "collsched/core/bits.hpp"
#include "support/bracketings.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/parameters.hpp"
#include "support/transfers.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce::interval_halving>());
static_assert(support::rooted_proved_up_to<support::of_root<reduce::interval_halving>, 5>);

TEST_CASE("reduce::interval_halving: every byte is the canonical tree, for every root") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (rank_t root = 0; root < p; root += 1 + p / 8) {
            CAPTURE(p);
            CAPTURE(root);
            const reduce::interval_halving x{.ranks = p, .root = root, .bytes = p + 1};
            CHECK(support::wrong_tree(x, binding::separate) == "");
            CHECK(support::verified(x, binding::in_place).ok());
            CHECK(!lower(x).contract().commutative);
        }
}

TEST_CASE("reduce::interval_halving: one transfer per message, but for parts on both sides of the last place") {
    for (rank_t p = 1; p <= 1024; p = p < 100 ? p + 1 : p + 924)
        for (const rank_t root : {rank_t{0}, p / 3, p - 1}) {
            CAPTURE(p);
            CAPTURE(root);
            const reduce::interval_halving x{.ranks = p, .root = root, .bytes = 8 * p, .element = 8};
            CHECK(support::transfers(x) <= support::measured(x).messages + ceil_log2(p));
        }
}

TEST_CASE("reduce::interval_halving: 2 ceil(log2 p) rounds, and less than 3/2 m bytes sent per rank") {
    for (rank_t p = 2; p <= support::most(130); ++p) {
        const metrics_report m =
            support::measured(reduce::interval_halving{.ranks = p, .root = p / 3, .bytes = 8 * p, .element = 8});
        CHECK(m.rounds == 2 * ceil_log2(p));
        for (rank_t r = 0; r < p; ++r) CHECK(2 * m.bytes_sent[r] < 3 * 8 * p);
    }
}
