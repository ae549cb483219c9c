#include "collsched/collective/allgather/circulant.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/core/bits.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::circulant>());
static_assert(support::proved_up_to_17<allgather::circulant>::value);

namespace {

/// s_0 .. s_q, from the last to the first.
std::vector<rank_t> skips(rank_t p) {
    std::vector<rank_t> s{p};
    while (s.front() > 1) s.insert(s.begin(), (s.front() + 1) / 2);
    return s;
}

}  // namespace

TEST_CASE("allgather::circulant: rounds, messages and bytes equal their formulas, for every p") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        support::check_counts(allgather::circulant{.ranks = p, .block = 8}, ceil_log2(p), p * ceil_log2(p));
    }
}

TEST_CASE(
    "allgather::circulant: in step k a rank sends s_{k+1} - s_k blocks from its own on to the rank s_k before it") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        const std::vector<rank_t> s = skips(p);
        const rank_t r = p * 2 / 3;
        const support::sent_blocks sent(allgather::circulant{.ranks = p, .block = 1}, r);
        REQUIRE(sent.messages.size() + 1 == s.size());
        for (const auto& [message, blocks] : sent.messages) {
            const auto k = static_cast<std::size_t>(message.first);
            std::set<rank_t> expected;
            for (rank_t i = 0; i < s[k + 1] - s[k]; ++i) expected.insert((r + i) % p);
            CHECK(message.second == (r - s[k] + p) % p);
            CHECK(blocks == expected);
        }
    }
}

TEST_CASE("allgather::circulant: one rank of very many gets every block once, at no cost of O(p)") {
    for (rank_t p = 300; p <= rank_t{1} << 20; p += p / 3 + 1)
        for (const rank_t ranks : {p, rank_t{1} << floor_log2(p), (rank_t{1} << floor_log2(p)) + 1}) {
            CAPTURE(ranks);
            const std::vector<rank_t> s = skips(ranks);
            const rank_t r = ranks / 7;
            rank_t held = 1;
            std::vector<rank_t> got(s.size());
            for (const edge& e : program(allgather::circulant{.ranks = ranks, .block = 1}, r)) {
                if (e.dst != r || e.is_local()) continue;
                const auto k = static_cast<std::size_t>(e.step);
                CHECK(e.src == (r + s[k]) % ranks);
                const rank_t first = (e.into_offset - r + ranks) % ranks;  // as far after r
                CHECK(first >= s[k]);
                CHECK(first + e.size <= s[k + 1]);
                got[k] += e.size;
                held += e.size;
            }
            CHECK(held == ranks);
            for (std::size_t k = 0; k + 1 < s.size(); ++k) CHECK(got[k] == s[k + 1] - s[k]);
        }
}
