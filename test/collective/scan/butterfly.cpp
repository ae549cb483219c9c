#include "collsched/collective/scan/butterfly.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/bracketings.hpp"
#include "support/parameters.hpp"
#include "support/prefixes.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<scan::butterfly>());
static_assert(support::prefixes_up_to_17<scan::butterfly>::value);

TEST_CASE("scan::butterfly: correct for every number of ranks, in both bindings, operands in order") {
    support::check_ranks<scan::butterfly>(300);
    support::check_elements([](rank_t p, bytes_t bytes, bytes_t element) {
        return scan::butterfly{.ranks = p, .bytes = bytes, .element = element};
    });
}

TEST_CASE("scan::butterfly: every byte is the canonical tree of its prefix") {
    for (rank_t p = 1; p <= 40; ++p)
        for (const auto binding : {binding::separate, binding::in_place}) {
            CAPTURE(p);
            CHECK(support::wrong_tree(scan::butterfly{.ranks = p, .bytes = 2}, binding) == "");
        }
    for (const rank_t p : {64, 100})
        CHECK(support::wrong_tree(scan::butterfly{.ranks = p, .bytes = 1}, binding::separate) == "");
}

TEST_CASE("scan::butterfly: ceil(log2 p) rounds of one message per rank, and scratch for sums that are used") {
    for (rank_t p = 1; p <= 300; ++p) {
        CAPTURE(p);
        const scan::butterfly x{.ranks = p, .bytes = 8};
        const metrics_report m = support::measured(x);
        CHECK(m.rounds == ceil_log2(p));
        CHECK(m.max_in_degree <= 1);
        CHECK(m.max_out_degree <= 1);
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.scratch[r] <= 16);
            CHECK(support::scratch_used(x, r) == m.scratch[r]);
        }
    }
}

TEST_CASE("scan::butterfly: sizes whose scratch exceeds 64 bits are rejected") {
    CHECK(check(scan::butterfly{.ranks = 4, .bytes = bytes_t{1} << 62}).value == bytes_t{1} << 62);
    CHECK(!check(scan::butterfly{.ranks = 4, .bytes = (bytes_t{1} << 62) - 1}));
}
