#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::swing>());
static_assert(detail::same_text(reduce_scatter::swing::info.name, "swing") && reduce_scatter::swing::info.commutative);
static_assert(support::proved_for<reduce_scatter::swing, 1, 2, 4, 8, 16>);

TEST_CASE("reduce_scatter::swing: rounds, messages and bytes equal their formulas") {
    for (rank_t p = 1; p <= 512; p *= 2) {
        CAPTURE(p);
        support::check_counts(reduce_scatter::swing{.ranks = p, .block = 8}, floor_log2(p), p * floor_log2(p));
    }
}

TEST_CASE(
    "reduce_scatter::swing: at level s = 0, 1, ... a rank sends its peer, rho(s) away, half of its remaining blocks") {
    const rank_t rho[] = {1, -1, 3, -5, 11, -21, 43};
    for (rank_t p = 2; p <= 128; p *= 2)
        for (rank_t r = 0; r < p; ++r) {
            CAPTURE(p);
            CAPTURE(r);
            const support::sent_blocks sent(reduce_scatter::swing{.ranks = p, .block = 1}, r);
            std::set<rank_t> kept;
            for (rank_t i = 0; i < p; ++i) kept.insert(i);
            step_t s = 0;
            for (const auto& [message, blocks] : sent.messages) {
                CHECK(message.first == s + 1);
                CHECK(message.second == (r + (r % 2 == 0 ? rho[s] : -rho[s]) + p) % p);
                CHECK(std::ssize(blocks) == p >> (s + 1));
                CHECK(blocks.contains(message.second));
                for (const rank_t block : blocks) CHECK(kept.erase(block) == 1);
                ++s;
            }
            CHECK(kept == std::set<rank_t>{r});
        }
}

TEST_CASE("reduce_scatter::swing: a number of ranks that is no power of two is rejected") {
    CHECK(std::string(check(reduce_scatter::swing{.ranks = 6, .block = 1}).text().c_str()) ==
          "ranks: got 6, expected a power of two");
}
