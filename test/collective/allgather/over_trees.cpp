#include "collsched/collective/allgather/over_trees.hpp"

#include <doctest/doctest.h>

#include "collsched/tree/binomial.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/k_ary.hpp"
#include "support/busy_steps.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::detail::handed_down<trees::binomial>>());

TEST_CASE("allgather::over_trees: verified up one tree and down another, for every layout and root") {
    for (rank_t p = 1; p <= 12; ++p)
        for (const auto& [name, layout] : support::layouts(p))
            for (rank_t root = 0; root < p; root += 1 + p / 3) {
                INFO(p, " ", name, " ", root);
                const auto a = allgather::over_trees(p, root, layout, trees::binomial{}, trees::k_ary{});
                CHECK(support::verified(a).ok());
                CHECK(support::verified(a, binding::in_place).ok());
            }
}

TEST_CASE("allgather::over_trees: rounds and bytes are those of both trees") {
    for (const rank_t p : {2, 5, 16}) {
        const auto report = support::measured(allgather::over_trees(p, 1, 10, trees::chain{}, trees::binomial{}));
        CHECK(report.rounds == trees::chain{}.steps(p) + trees::binomial{}.steps(p));
        CHECK(report.bytes_received[1] == 10 * (p - 1));
        CHECK(report.messages == 2 * (p - 1));
        const auto down =
            support::measured(allgather::detail::handed_down<trees::binomial>{.ranks = p, .root = 1, .block = 10});
        CHECK(down.messages == p - 1);
        CHECK(down.transfers == p - 1);  // all blocks in one run
    }
}

TEST_CASE("allgather::over_trees: a rank is busy from its first message to its last") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root) {
            CAPTURE(p);
            CAPTURE(root);
            CHECK(support::busy_in_used_steps(
                lower(allgather::detail::handed_down<trees::binomial>{.ranks = p, .root = root, .block = 3})));
        }
}
