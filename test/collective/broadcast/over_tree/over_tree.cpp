#include "collsched/collective/broadcast/over_tree.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/core/bits.hpp"
#include "collsched/tree.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/busy_steps.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<broadcast::over_tree<trees::binomial>>());
static_assert(proved<verify(broadcast::over_tree<trees::binomial>{.ranks = 17, .root = 16, .bytes = 9})>);
static_assert(proved<verify(broadcast::over_tree<trees::chain>{.ranks = 9, .bytes = 64, .segment = 8})>);
static_assert(
    proved<verify(broadcast::over_tree<trees::chain>{.ranks = 12, .root = 5, .bytes = 64, .segment = 8, .tree = {3}})>);
static_assert(proved<verify(broadcast::over_tree<trees::two_tree>{.ranks = 14, .bytes = 64, .segment = 8})>);

TEST_CASE("broadcast::over_tree: rounds are the tree's steps and one period per further piece") {
    for (rank_t p = 2; p <= support::most(70); ++p) {
        CHECK(support::measured(broadcast::over_tree<trees::binomial>{.ranks = p, .root = 1, .bytes = 8}).rounds ==
              ceil_log2(p));
        CHECK(support::measured(broadcast::over_tree<trees::chain>{.ranks = p, .bytes = 80, .segment = 8}).rounds ==
              10 + p - 2);
        CHECK(support::measured(broadcast::over_tree<trees::flat>{.ranks = p, .bytes = 8}).rounds == p - 1);
        const broadcast::over_tree<trees::k_ary> b{.ranks = p, .bytes = 80, .segment = 16, .tree = {.radix = 3}};
        CHECK(support::measured(b).rounds == trees::k_ary{3}.steps(p) + 4 * trees::k_ary{3}.most_sends(p));
    }
}

TEST_CASE("broadcast::over_tree: every rank receives all bytes once and sends one message per step and tree") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const bytes_t segment : {0, 4}) {
            const metrics_report one = support::measured(
                broadcast::over_tree<trees::k_nomial>{.ranks = p, .root = p - 1, .bytes = 20, .segment = segment});
            const metrics_report pair = support::measured(
                broadcast::over_tree<trees::two_tree>{.ranks = p, .root = p / 2, .bytes = 20, .segment = segment});
            CHECK(one.max_out_degree <= 1);
            CHECK(pair.max_in_degree <= 2);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(one.bytes_received[r] == (r == p - 1 ? 0 : 20));
                CHECK(pair.bytes_received[r] == (r == p / 2 ? 0 : 20));
                if (r != p / 2) CHECK(pair.bytes_sent[r] <= 20 + 4);
            }
        }
}

TEST_CASE("broadcast::over_tree: no element is split between pieces, and no piece is longer than a segment") {
    for (const edge& e :
         edges(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 72, .element = 8, .segment = 16})) {
        CHECK(e.size % 8 == 0);
        if (!e.is_local()) CHECK(e.size <= 16);
    }
    CHECK(check(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 70, .element = 8}).value == 8);
    CHECK(check(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 72, .element = 8, .segment = 12}).value == 12);
    CHECK(check(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = INT64_MAX, .segment = 1}).value == 1);
}

TEST_CASE("broadcast::over_tree: planned trees carry broadcasts for the p they were planned for") {
    const auto tree = trees::logp_optimal(21, 6, 2, 4);
    CHECK(support::verified(broadcast::over_tree<trees::planned_tree>{
                                .ranks = 21, .root = 20, .bytes = 50, .segment = 9, .tree = tree})
              .ok());
    CHECK(check(broadcast::over_tree<trees::planned_tree>{.ranks = 20, .bytes = 5, .tree = tree}).value == 20);
}

TEST_CASE("broadcast::over_tree: a rank is busy from its first message to its last") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root) {
            CAPTURE(p);
            CAPTURE(root);
            CHECK(support::busy_in_used_steps(
                lower(broadcast::over_tree<trees::k_ary>{.ranks = p, .root = root, .bytes = 9, .segment = 2})));
        }
}

TEST_CASE(
    "broadcast::over_tree: several chains have f S + floor((p-1)/f) - 1 rounds, and the root alone sends f times") {
    for (rank_t p = 2; p <= support::most(40); ++p)
        for (rank_t chains = 1; chains < p; ++chains)
            for (const bytes_t segment : {0, 4}) {
                CAPTURE(p);
                CAPTURE(chains);
                const broadcast::over_tree<trees::chain> b{
                    .ranks = p, .root = p / 3, .bytes = 20, .segment = segment, .tree = {chains}};
                const metrics_report m = support::measured(b);
                CHECK(m.steps == chains * (segment > 0 ? 5 : 1) + (p - 1) / chains - 1);
                for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_sent[r] <= (r == p / 3 ? 20 * chains : 20));
                CHECK(m.bytes_sent[p / 3] == 20 * chains);
            }
    CHECK(std::string(check(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 8, .tree = {0}}).argument) ==
          "radix");
}
