#include "collsched/collective/allgather/k_ring.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "support/block_counts.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::k_ring>({{"group", 2}}));
static_assert(support::proved_for<allgather::k_ring, 1, 2, 4, 6, 8, 10, 12, 14, 16>);
static_assert(proved<verify(allgather::k_ring{.ranks = 15, .block = 3, .group = 5})>);

namespace {

template <class F>
void for_each_group(rank_t most, F f) {
    for (rank_t p = 1; p <= most; ++p)
        for (rank_t group = 1; group <= p; ++group)
            if (p % group == 0) f(p, group);
}

}  // namespace

TEST_CASE("allgather::k_ring: rounds, messages and bytes equal their formulas, for every divisor of p") {
    for_each_group(256, [](rank_t p, rank_t group) {
        if (p > 100 && group != 4 && group != 16) return;
        CAPTURE(p);
        CAPTURE(group);
        support::check_counts(allgather::k_ring{.ranks = p, .block = 8, .group = group}, p - 1, p * (p - 1));
    });
}

TEST_CASE("allgather::k_ring: messages of every group-th step go to the next group, all others stay in the group") {
    for_each_group(48, [](rank_t p, rank_t group) {
        CAPTURE(p);
        CAPTURE(group);
        for (rank_t r = 0; r < p; ++r)
            for (const auto& [message, blocks] :
                 support::sent_blocks(allgather::k_ring{.ranks = p, .block = 1, .group = group}, r).messages) {
                const auto [k, target] = message;
                const rank_t home = r / group, groups = p / group;
                if (k % group == group - 1) CHECK(target == (r + group) % p);
                else CHECK(target == home * group + (r + 1) % group);
                REQUIRE(blocks.size() == 1);
                CHECK(*blocks.begin() / group == (home + groups - k / group) % groups);
            }
        CHECK(support::verified(allgather::k_ring{.ranks = p, .block = 1, .group = group}).ok());
        CHECK(support::verified(allgather::k_ring{.ranks = p, .block = 1, .group = group}, binding::in_place).ok());
    });
}

TEST_CASE("allgather::k_ring: a group of 1, of p or of more ranks gives the ring") {
    for (rank_t p = 1; p <= 20; ++p)
        for (const rank_t group : {rank_t{1}, p, p + 1, INT64_MAX}) {
            CHECK(support::same_edges(allgather::ring{.ranks = p, .block = 3},
                                      allgather::k_ring{.ranks = p, .block = 3, .group = group}));
        }
}

TEST_CASE("allgather::k_ring: a group that does not divide p is rejected") {
    const auto error_of = [](const allgather::k_ring& parameters) {
        return std::string(check(parameters).text().c_str());
    };
    CHECK(error_of({.ranks = 9, .block = 1, .group = 4}) ==
          "ranks: got 9, expected a multiple of group, or less than group");
    CHECK(error_of({.ranks = 9, .block = 1}) == "ranks: got 9, expected a multiple of group, or less than group");
    CHECK(error_of({.ranks = 9, .block = 1, .group = 0}) == "group: got 0, expected 1 or more");
}
