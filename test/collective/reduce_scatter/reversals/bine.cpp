#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::bine>());
static_assert(detail::same_text(reduce_scatter::bine::info.name, "bine") && reduce_scatter::bine::info.commutative);
static_assert(support::proved_for<reduce_scatter::bine, 1, 2, 4, 6, 8, 10, 12, 14, 16>);

TEST_CASE("reduce_scatter::bine: rounds, messages and bytes equal their formulas for every even p") {
    for (rank_t p = 1; p <= support::most(256); p += p == 1 ? 1 : 2) {
        CAPTURE(p);
        support::check_counts(reduce_scatter::bine{.ranks = p, .block = 8}, ceil_log2(p), p * ceil_log2(p));
    }
}

TEST_CASE("reduce_scatter::bine: at level s = q-1 .. 0 a rank sends its peer, rho(s) away, all but 2^s of its blocks") {
    const rank_t rho[] = {1, -1, 3, -5, 11, -21, 43};
    for (rank_t p = 2; p <= support::most(128); p += 2)
        for (rank_t r = 0; r < p; ++r) {
            CAPTURE(p);
            CAPTURE(r);
            const support::sent_blocks sent(reduce_scatter::bine{.ranks = p, .block = 1}, r);
            std::set<rank_t> kept;
            for (rank_t i = 0; i < p; ++i) kept.insert(i);
            step_t s = ceil_log2(p) - 1;
            for (const auto& [message, blocks] : sent.messages) {
                CHECK(message.first == ceil_log2(p) - s);
                CHECK(message.second == (r + (r % 2 == 0 ? rho[s] : -rho[s]) + p) % p);
                if (is_power_of_two(p)) CHECK(blocks.contains(message.second));
                for (const rank_t block : blocks) CHECK(kept.erase(block) == 1);
                CHECK(std::ssize(kept) == rank_t{1} << s);
                --s;
            }
            CHECK(kept == std::set<rank_t>{r});
        }
}

TEST_CASE("reduce_scatter::bine: an odd number of ranks above 1 is rejected") {
    CHECK(std::string(check(reduce_scatter::bine{.ranks = 7, .block = 1}).text().c_str()) ==
          "ranks: got 7, expected an even number, or 1");
}
