#include "collsched/collective/reduce/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/bracketings.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce::interval_tree>());
static_assert(support::rooted_proved_up_to<support::of_root<reduce::interval_tree>, 7>);

TEST_CASE("reduce::interval_tree: every byte is the canonical tree, for every root") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (rank_t root = 0; root < p; ++root)
            for (const auto binding : {binding::separate, binding::in_place}) {
                CAPTURE(p);
                CAPTURE(root);
                const reduce::interval_tree x{.ranks = p, .root = root, .bytes = 2};
                CHECK(support::wrong_tree(x, binding) == "");
                CHECK(support::verified(x, binding).ok());
                CHECK(!lower(x).contract().commutative);
            }
    CHECK(support::wrong_tree(reduce::interval_tree{.ranks = 100, .root = 71, .bytes = 1}, binding::separate) == "");
}

TEST_CASE("reduce::interval_tree: ceil(log2 p) rounds, and every rank but the root sends m bytes once") {
    for (rank_t p = 1; p <= support::most(130); ++p) {
        const rank_t root = p / 3;
        const metrics_report m = support::measured(reduce::interval_tree{.ranks = p, .root = root, .bytes = 8});
        CHECK(m.rounds == ceil_log2(p));
        CHECK(m.max_in_degree <= 1);
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_sent[r] == (r == root ? 0 : 8));
    }
}
