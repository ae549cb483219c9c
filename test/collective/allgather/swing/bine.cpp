#include "collsched/collective/allgather/swing.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/core/bits.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::bine>());
static_assert(support::proved_for<allgather::bine, 1, 2, 4, 6, 8, 10, 12, 14, 16>);

namespace {

/// r + rho(s) for even r, r - rho(s) for odd ones, rho(s) = (1 - (-2)^(s+1)) / 3.
rank_t peer(rank_t r, step_t s, rank_t p) {
    rank_t rho = 0, term = 1;
    for (step_t i = 0; i <= s; ++i, term *= -2) rho += term;
    return ((r % 2 == 0 ? r + rho : r - rho) % p + p) % p;
}

}  // namespace

TEST_CASE("allgather::bine: rounds, messages and bytes equal their formulas, in two pieces of memory at most") {
    for (rank_t p = 1; p <= support::most(256); p += p == 1 ? 1 : 2) {
        CAPTURE(p);
        const allgather::bine x{.ranks = p, .block = 8};
        support::check_counts(x, ceil_log2(p), p * ceil_log2(p));
        std::set<std::vector<rank_t>> seen;
        for (const edge& e : edges(x))
            if (!e.is_local() && !seen.insert({e.step, e.src, 0}).second) CHECK(seen.insert({e.step, e.src, 1}).second);
    }
}

TEST_CASE("allgather::bine: in step k a rank sends its peer at level k the blocks that the peer lacks of their union") {
    for (rank_t p = 2; p <= support::most(130); p += 2) {
        CAPTURE(p);
        std::vector<std::set<rank_t>> held;
        std::vector<support::sent_blocks> sent;
        for (rank_t r = 0; r < p; ++r) {
            held.push_back({r});
            sent.emplace_back(allgather::bine{.ranks = p, .block = 1}, r);
        }
        for (step_t k = 0; k < ceil_log2(p); ++k) {
            const std::vector<std::set<rank_t>> before = held;
            for (rank_t r = 0; r < p; ++r) {
                const auto target = static_cast<std::size_t>(peer(r, k, p));
                REQUIRE(sent[static_cast<std::size_t>(r)].messages.contains({k, peer(r, k, p)}));
                std::set<rank_t> lacks;
                for (const rank_t block : before[static_cast<std::size_t>(r)])
                    if (!before[target].contains(block)) lacks.insert(block);
                CHECK(sent[static_cast<std::size_t>(r)].messages.at({k, peer(r, k, p)}) == lacks);
                held[target].merge(lacks);
            }
        }
        for (const auto& all : held) CHECK(std::ssize(all) == p);
    }
}

TEST_CASE("allgather::bine: an odd number of ranks above 1 is rejected") {
    CHECK(std::string(check(allgather::bine{.ranks = 7, .block = 1}).text().c_str()) ==
          "ranks: got 7, expected an even number, or 1");
    CHECK(!check(allgather::bine{.ranks = 1, .block = 1}));
}
