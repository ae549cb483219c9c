#include "collsched/collective/allgather/swing.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::swing>());
static_assert(support::proved_for<allgather::swing, 1, 2, 4, 8, 16>);

namespace {

/// r + rho(s) for even r, r - rho(s) for odd ones, rho(s) = (1 - (-2)^(s+1)) / 3.
rank_t peer(rank_t r, step_t s, rank_t p) {
    rank_t rho = 0, term = 1;
    for (step_t i = 0; i <= s; ++i, term *= -2) rho += term;
    return ((r % 2 == 0 ? r + rho : r - rho) % p + p) % p;
}

/// D(r, q) = {r}, D(r, s) = D(r, s+1) and D(peer, s+1).
std::set<rank_t> share(rank_t r, step_t s, rank_t p) {
    if (s == floor_log2(p)) return {r};
    std::set<rank_t> both = share(r, s + 1, p);
    both.merge(share(peer(r, s, p), s + 1, p));
    return both;
}

}  // namespace

TEST_CASE("allgather::swing: rounds, messages and bytes equal their formulas") {
    for (rank_t p = 1; p <= 512; p *= 2) {
        CAPTURE(p);
        support::check_counts(allgather::swing{.ranks = p, .block = 8}, floor_log2(p), p * floor_log2(p));
    }
}

TEST_CASE("allgather::swing: the peer of a rank's peer is the rank, at every level and every even p") {
    CHECK(allgather::detail::swing_peer(0, 0, 1024) == 1);
    CHECK(allgather::detail::swing_peer(0, 1, 1024) == 1023);
    CHECK(allgather::detail::swing_peer(0, 2, 1024) == 3);
    CHECK(allgather::detail::swing_peer(0, 3, 1024) == 1019);
    CHECK(allgather::detail::swing_peer(0, 4, 1024) == 11);
    for (rank_t p = 2; p <= support::most(130); p += 2)
        for (rank_t r = 0; r < p; ++r)
            for (step_t s = 0; s < ceil_log2(p); ++s) {
                CHECK(allgather::detail::swing_peer(r, s, p) == peer(r, s, p));
                CHECK(allgather::detail::swing_peer(allgather::detail::swing_peer(r, s, p), s, p) == r);
            }
}

TEST_CASE("allgather::swing: at level s a rank sends its peer the share that it has at level s+1") {
    for (rank_t p = 1; p <= 256; p *= 2)
        for (rank_t r = 0; r < p; ++r) {
            CAPTURE(p);
            CAPTURE(r);
            const support::sent_blocks sent(allgather::swing{.ranks = p, .block = 1}, r);
            CHECK(sent.once);
            CHECK(std::ssize(sent.messages) == floor_log2(p));
            for (const auto& [message, blocks] : sent.messages) {
                const step_t s = floor_log2(p) - 1 - message.first;
                CHECK(message.second == peer(r, s, p));
                CHECK(blocks == share(r, s + 1, p));
            }
        }
}

TEST_CASE("allgather::swing: a number of ranks that is no power of two is rejected") {
    const auto error_of = [](rank_t p) {
        return std::string(check(allgather::swing{.ranks = p, .block = 1}).text().c_str());
    };
    CHECK(error_of(6) == "ranks: got 6, expected a power of two");
    CHECK(error_of(1023) == "ranks: got 1023, expected a power of two");
}
