#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::k_ring>({{"group", 2}}));
static_assert(detail::same_text(reduce_scatter::k_ring::info.name, "k-ring") &&
              reduce_scatter::k_ring::info.commutative);
static_assert(support::proved_for<reduce_scatter::k_ring, 1, 2, 4, 6, 8, 10, 12, 14, 16>);

TEST_CASE("reduce_scatter::k_ring: rounds, messages and bytes equal their formulas, for every divisor of p") {
    for (rank_t p = 1; p <= support::most(256); p += p < 48 ? 1 : 16)
        for (rank_t group = 1; group <= p; ++group) {
            if (p % group != 0) continue;
            CAPTURE(p);
            CAPTURE(group);
            support::check_counts(reduce_scatter::k_ring{.ranks = p, .block = 8, .of = {.group = group}}, p - 1,
                                  p * (p - 1));
        }
}

TEST_CASE("reduce_scatter::k_ring: verified for every group") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (rank_t group = 1; group <= p; ++group)
            if (p % group == 0)
                CHECK(support::verified(reduce_scatter::k_ring{.ranks = p, .block = 3, .of = {.group = group}}).ok());
}

TEST_CASE("reduce_scatter::k_ring: a group that does not divide p is rejected") {
    CHECK(std::string(check(reduce_scatter::k_ring{.ranks = 9, .block = 1, .of = {.group = 4}}).text().c_str()) ==
          "ranks: got 9, expected a multiple of group, or less than group");
}
