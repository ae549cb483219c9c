#include "collsched/collective/allgather/pat.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::pat>({{"aggregate", 4}}));
static_assert(support::proved_up_to_17<allgather::pat>::value);
static_assert(proved<verify(allgather::pat{.ranks = 13, .block = 3, .aggregate = 1})>);
static_assert(proved<verify(allgather::pat{.ranks = 13, .block = 3, .aggregate = 2})>);
static_assert(proved<verify(allgather::pat{.ranks = 13, .block = 3, .aggregate = 64})>);

namespace {

/// The ranks below `end` of a binomial tree in preorder, the far children first, from s on whose subtree is `width` wide.
void preorder(rank_t s, rank_t width, rank_t end, std::vector<rank_t>& into) {
    if (s >= end) return;
    into.push_back(s);
    while ((width /= 2) > 0) preorder(s + width, width, end, into);
}

}  // namespace

TEST_CASE("allgather::pat: rounds, messages and bytes equal their formulas, for every p and aggregate") {
    for (rank_t p = 1; p <= support::most(256); ++p)
        for (rank_t a = 1; a <= 256; a *= p > 40 ? 16 : 2) {
            CAPTURE(p);
            CAPTURE(a);
            const rank_t all = rank_t{1} << ceil_log2(p), used = a < all ? a : all, width = all / used;
            const step_t rounds = floor_log2(used) + (width < p ? width : p) - 1;
            support::check_counts(allgather::pat{.ranks = p, .block = 8, .aggregate = a}, rounds, p * rounds);
            if (a == 1) CHECK(rounds == p - 1);
            if (a >= all / 2) CHECK(rounds == ceil_log2(p));
        }
}

TEST_CASE(
    "allgather::pat: block o reaches o + s from the rank without the lowest bit of s, at most A blocks together") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (rank_t a = 1; a <= 64; a *= 2)
            for (rank_t r = 0; r < p; ++r) {
                CAPTURE(p);
                CAPTURE(a);
                const support::sent_blocks sent(allgather::pat{.ranks = p, .block = 1, .aggregate = a}, r);
                CHECK(sent.once);
                for (const auto& [message, blocks] : sent.messages) {
                    CHECK(std::ssize(blocks) <= a);
                    for (const rank_t block : blocks) {
                        const rank_t s = (message.second - block + p) % p;
                        CHECK((block + (s & (s - 1))) % p == r);
                    }
                }
            }
}

TEST_CASE("allgather::pat: the ranks after the multiples of D come in preorder of a tree, the far children first") {
    std::vector<rank_t> eight;
    preorder(0, 8, 8, eight);
    CHECK(eight == std::vector<rank_t>{0, 4, 6, 7, 5, 2, 3, 1});
    for (rank_t p = 2; p <= support::most(100); ++p)
        for (rank_t a = 1; a <= 64; a *= 2) {
            CAPTURE(p);
            CAPTURE(a);
            const rank_t all = rank_t{1} << ceil_log2(p), width = a < all ? all / a : 1;
            std::map<step_t, std::set<rank_t>> first;  // of the tree of block 0, where block numbers are rank numbers
            for (const edge& e : edges(allgather::pat{.ranks = p, .block = 1, .aggregate = a}))
                if (!e.is_local() && e.into_offset == 0) first[e.step].insert(e.dst);
            std::vector<std::set<rank_t>> expected;
            for (rank_t d = all / 2; d >= width; d /= 2) {
                expected.emplace_back();
                for (rank_t s = d; s < p; s += 2 * d) expected.back().insert(s);
            }
            std::vector<rank_t> low;
            preorder(0, width, p, low);
            for (std::size_t i = 1; i < low.size(); ++i) {
                expected.emplace_back();
                for (rank_t s = low[i]; s < p; s += width) expected.back().insert(s);
            }
            REQUIRE(first.size() == expected.size());
            for (const auto& [k, targets] : first) {
                REQUIRE(k < std::ssize(expected));
                CHECK(targets == expected[static_cast<std::size_t>(k)]);
            }
        }
}

TEST_CASE(
    "allgather::pat: generation ends for every aggregate, also for rejected ones, with edges between ranks only") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t a = -9; a <= 40; ++a) {
            CAPTURE(p);
            CAPTURE(a);
            const allgather::pat pat{.ranks = p, .block = 1, .aggregate = a};
            REQUIRE(pat.steps() < 2 * p);
            for (step_t k = 0; k < 3 * p; ++k)
                pat.targets(0, k, [&](rank_t dst) {
                    CHECK((dst >= 0 && dst < p));
                    bytes_t blocks = 0;
                    pat.message(0, dst, k, [&](block_interval one) { blocks += one.count; });
                    CHECK(blocks < 2 * p);
                });
        }
}

TEST_CASE("allgather::pat: an aggregate is a power of two") {
    const auto error_of = [](rank_t a) {
        return std::string(check(allgather::pat{.ranks = 9, .block = 1, .aggregate = a}).text().c_str());
    };
    CHECK(error_of(3) == "aggregate: got 3, expected a power of two");
    CHECK(error_of(0) == "aggregate: got 0, expected a power of two");
    CHECK(error_of(-4) == "aggregate: got -4, expected a power of two");
    CHECK(support::verified(allgather::pat{.ranks = 9, .block = 1, .aggregate = rank_t{1} << 62}).ok());
}
