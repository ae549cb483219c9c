#include "collsched/collective/allgather/by_dimension.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "collsched/collective/allgather/linear.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::by_dimension>({{"group", 8}, {"radix", 8}}));
static_assert(support::proved_up_to_17<allgather::by_dimension>::value);
static_assert(proved<verify(allgather::by_dimension{.ranks = 12, .block = 4, .group = 2, .radix = 3})>);

TEST_CASE("allgather::by_dimension: rounds, messages and bytes equal their formulas in equal rows and planes") {
    for (rank_t row = 1; row <= 9; ++row)
        for (std::int64_t k = 2; k <= 6; ++k)
            for (rank_t top = 1; top < 2 * k; ++top) {
                CAPTURE(row);
                CAPTURE(k);
                CAPTURE(top);
                // Below 2k rows the mesh has two dimensions, below 2k planes three.
                const rank_t p = row * top, rounds = row - 1 + top - 1;
                support::check_counts(allgather::by_dimension{.ranks = p, .block = 8, .group = row, .radix = k}, rounds,
                                      p * rounds);
                if (top == 1) continue;
                const rank_t all = p * k, three = rounds + k - 1;
                support::check_counts(allgather::by_dimension{.ranks = all, .block = 8, .group = row, .radix = k},
                                      three, all * three);
            }
}

TEST_CASE(
    "allgather::by_dimension: in rows of different sizes a rank receives p-1 blocks and sends less than twice as "
    "many") {
    for (rank_t p = 2; p <= support::most(60); ++p)
        for (rank_t group = 1; group <= p; ++group)
            for (const std::int64_t radix : {2, 3, 8}) {
                CAPTURE(p);
                CAPTURE(group);
                CAPTURE(radix);
                const metrics_report m =
                    support::measured(allgather::by_dimension{.ranks = p, .block = 8, .group = group, .radix = radix});
                for (rank_t r = 0; r < p; ++r) {
                    CHECK(m.bytes_received[r] == 8 * (p - 1));
                    CHECK(m.bytes_sent[r] <= 16 * (p - 1));
                    CHECK(m.scratch[r] == 0);
                }
                CHECK(m.max_in_degree == 1);
                CHECK(m.max_out_degree <= 2);
            }
}

TEST_CASE("allgather::by_dimension: verified for every p, row and radix, also in place") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (rank_t group = 1; group <= p; ++group)
            for (const std::int64_t radix : {2, 3, 8}) {
                if (radix < 8 && (p > 40 || p / group < 2 * radix)) continue;  // the mesh of radix 8 has them
                CAPTURE(p);
                CAPTURE(group);
                CAPTURE(radix);
                const allgather::by_dimension x{.ranks = p, .block = 3, .group = group, .radix = radix};
                CHECK(support::verified(x).ok());
                if (p <= 32) CHECK(support::verified(x, binding::in_place).ok());
            }
}

TEST_CASE("allgather::by_dimension: a row is exchanged as a whole, in order of distance") {
    const support::sent_blocks sent(allgather::by_dimension{.ranks = 12, .block = 1, .group = 4}, 5);
    using blocks = std::set<rank_t>;
    CHECK(sent.messages ==
          std::map<std::pair<step_t, rank_t>, blocks>{
              {{0, 6}, {5}}, {{1, 7}, {5}}, {{2, 4}, {5}}, {{3, 9}, {4, 5, 6, 7}}, {{4, 1}, {4, 5, 6, 7}}});
}

TEST_CASE("allgather::by_dimension: one row, and less than 2 radix rows of one rank, are the direct exchange") {
    for (rank_t p = 1; p <= 20; ++p) {
        const allgather::linear direct{.ranks = p, .block = 3};
        for (const rank_t group : {p, p + 1, INT64_MAX, rank_t{1}})
            CHECK(support::same_edges(direct,
                                      allgather::by_dimension{.ranks = p, .block = 3, .group = group, .radix = 11}));
    }
}

TEST_CASE("allgather::by_dimension: a group of no rank and a radix below 2 are rejected") {
    const auto error_of = [](const allgather::by_dimension& x) { return std::string(check(x).text().c_str()); };
    CHECK(error_of({.ranks = 9, .block = 1, .group = 0}) == "group: got 0, expected 1 or more");
    CHECK(error_of({.ranks = 9, .block = 1, .radix = 1}) == "radix: got 1, expected 2 or more");
    CHECK_FALSE(check(allgather::by_dimension{.ranks = 9, .block = 1, .group = 1, .radix = 2}));
}
