#include "collsched/collective/alltoall/by_dimension.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/brief.hpp"
#include "support/exchange_proofs.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<alltoall::by_dimension>({{"group", 8}, {"radix", 8}}));
static_assert(support::exchange_proved<alltoall::by_dimension>());
static_assert(proved<verify(alltoall::by_dimension{.ranks = 7, .block = 4, .group = 2})>);
static_assert(proved<verify(alltoall::by_dimension{.ranks = 9, .block = 4, .group = 2, .radix = 2})>);

TEST_CASE("alltoall::by_dimension: rounds, messages, bytes and scratch equal their formulas in equal rows and planes") {
    for (rank_t row = 1; row <= 6; ++row)
        for (rank_t k = 2; k <= 4; ++k)
            for (rank_t top = 2; top < 2 * k; ++top)
                for (const bool planes : {false, true}) {
                    CAPTURE(row);
                    CAPTURE(k);
                    CAPTURE(top);
                    const rank_t plane = planes ? row * k : row, p = plane * top;
                    const rank_t rounds = row - 1 + (planes ? k - 1 : 0) + top - 1;
                    const rank_t sent = p - p / row + (planes ? p - p / k : 0) + p - p / top;
                    // Blocks that arrive in one dimension, but for those of the rank itself.
                    const rank_t kept = (row - 1) * (p / row - 1) + (planes ? (plane - row) * (top - 1) : 0);
                    const metrics_report m =
                        support::measured(alltoall::by_dimension{.ranks = p, .block = 8, .group = row, .radix = k});
                    CHECK(m.rounds == rounds);
                    CHECK(m.messages == p * rounds);
                    CHECK(m.max_out_degree == 1);
                    for (rank_t r = 0; r < p; ++r) {
                        CHECK(m.bytes_sent[r] == 8 * sent);
                        CHECK(m.bytes_received[r] == 8 * sent);
                        CHECK(m.copied_bytes[r] == 8);
                        CHECK(m.scratch[r] == 8 * kept);
                    }
                }
}

TEST_CASE("alltoall::by_dimension: verified for every matrix, row and radix") {
    for (rank_t p = 1; p <= 18; ++p)
        for (const auto& [name, blocks] : support::matrices(p))
            for (rank_t group = 1; group <= p; ++group)
                for (const std::int64_t radix : {2, 3, 8}) {
                    if (radix < 8 && p / group < 2 * radix) continue;  // the mesh of radix 8 has them
                    CAPTURE(p);
                    CAPTURE(name);
                    CAPTURE(group);
                    CAPTURE(radix);
                    CHECK(support::verified(
                              alltoall::by_dimension{.ranks = p, .block = blocks, .group = group, .radix = radix})
                              .ok());
                }
}

TEST_CASE("alltoall::by_dimension: verified for up to 64 ranks, with every row") {
    for (rank_t p = 19; p <= support::most(64); ++p)
        for (rank_t group = 1; group <= p; group += p < 40 ? 1 : 3) {
            CAPTURE(p);
            CAPTURE(group);
            CHECK(support::verified(alltoall::by_dimension{.ranks = p, .block = 1, .group = group}).ok());
            CHECK(support::verified(alltoall::by_dimension{.ranks = p, .block = 1, .group = group, .radix = 2}).ok());
        }
}

TEST_CASE("alltoall::by_dimension: 2^63 bytes or more in all are rejected") {
    constexpr bytes_t large = bytes_t{1} << 51;
    CHECK(std::string(check(alltoall::by_dimension{.ranks = 64, .block = large}).text().c_str()) ==
          "block: got 144115188075855872, expected bytes that all ranks send together below 2^63");
    CHECK_FALSE(check(alltoall::by_dimension{.ranks = 64, .block = large - 1}));
    std::vector<bytes_t> counts(16, bytes_t{1} << 59);
    CHECK(check(alltoall::by_dimension{.ranks = 4, .block = block_matrix(counts)}).argument == std::string("block"));
    std::fill(counts.begin(), counts.end(), bytes_t{1} << 58);
    CHECK_FALSE(check(alltoall::by_dimension{.ranks = 4, .block = block_matrix(counts)}));
}

TEST_CASE("alltoall::by_dimension: a group of no rank and a radix below 2 are rejected") {
    const auto error_of = [](const alltoall::by_dimension& x) { return std::string(check(x).text().c_str()); };
    CHECK(error_of({.ranks = 9, .block = 1, .group = 0}) == "group: got 0, expected 1 or more");
    CHECK(error_of({.ranks = 9, .block = 1, .radix = 1}) == "radix: got 1, expected 2 or more");
}

TEST_CASE(
    "alltoall::by_dimension: in place is rejected, since the first copies would overwrite bytes still to be sent") {
    CHECK_FALSE(support::verified(alltoall::by_dimension{.ranks = 4, .block = 1}, binding::in_place).ok());
}

TEST_CASE("alltoall::by_dimension: one rank copies its block in one step, and no rank receives into staging") {
    const any_schedule one(alltoall::by_dimension{.ranks = 1, .block = 8});
    CHECK(one.steps() == 1);
    int copies = 0;
    for (const edge& e : edges(one)) copies += e.is_local() ? 1 : 0;
    CHECK(copies == 1);
    const alltoall::by_dimension six{.ranks = 6, .block = 8, .group = 2};
    const any_schedule many(six);
    for (rank_t r = 0; r < 6; ++r) CHECK(many.staging(r) == 0);
}
