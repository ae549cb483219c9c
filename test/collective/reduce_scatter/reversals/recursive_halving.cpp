#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::recursive_halving>());
static_assert(detail::same_text(reduce_scatter::recursive_halving::info.name, "recursive-halving") &&
              reduce_scatter::recursive_halving::info.commutative);
static_assert(support::proved_up_to_17<reduce_scatter::recursive_halving>::value);

TEST_CASE("reduce_scatter::recursive_halving: rounds and bytes equal their formulas") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        const reduce_scatter::recursive_halving x{.ranks = p, .block = 8};
        if (is_power_of_two(p)) support::check_counts(x, floor_log2(p), p * floor_log2(p));
        const metrics_report m = support::measured(x);
        CHECK(m.rounds == floor_log2(p) + (is_power_of_two(p) ? 0 : 2));
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == 8 * (p - 1));
            CHECK(m.bytes_received[r] <= (is_power_of_two(p) ? 8 * (p - 1) : 24 * (p - 1) - 1));
        }
    }
}

TEST_CASE(
    "reduce_scatter::recursive_halving: for powers of two, ranks at halving distances send the other side's half") {
    for (rank_t p = 2; p <= 64; p *= 2)
        for (rank_t r = 0; r < p; ++r) {
            const support::sent_blocks sent(reduce_scatter::recursive_halving{.ranks = p, .block = 1}, r);
            CHECK(std::ssize(sent.messages) == floor_log2(p));
            for (const auto& [message, blocks] : sent.messages) {
                const rank_t distance = p >> message.first, target = r ^ distance;
                CHECK(message.second == target);
                std::set<rank_t> side;
                for (rank_t i = 0; i < distance; ++i) side.insert(target / distance * distance + i);
                CHECK(blocks == side);
            }
        }
}
