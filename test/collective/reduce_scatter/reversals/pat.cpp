#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::pat>({{"aggregate", 4}}));
static_assert(detail::same_text(reduce_scatter::pat::info.name, "pat") && reduce_scatter::pat::info.commutative);
static_assert(support::proved_for<reduce_scatter::pat, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>);

TEST_CASE("reduce_scatter::pat: rounds, messages and bytes equal their formulas, for every p and aggregate") {
    for (rank_t p = 1; p <= support::most(256); p += p < 70 ? 1 : 9)
        for (rank_t a = 1; a <= 256; a *= 4) {
            CAPTURE(p);
            CAPTURE(a);
            const rank_t all = rank_t{1} << ceil_log2(p), used = a < all ? a : all, width = all / used;
            const step_t rounds = floor_log2(used) + (width < p ? width : p) - 1;
            support::check_counts(reduce_scatter::pat{.ranks = p, .block = 8, .of = {.aggregate = a}}, rounds,
                                  p * rounds);
        }
}

TEST_CASE(
    "reduce_scatter::pat: partial sums of block o go up its tree, from o + s to the rank without the lowest bit of s") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (rank_t a = 1; a <= 64; a *= 2) {
            CAPTURE(p);
            CAPTURE(a);
            const reduce_scatter::pat x{.ranks = p, .block = 1, .of = {.aggregate = a}};
            for (rank_t r = 0; r < p; ++r)
                for (const auto& [message, blocks] : support::sent_blocks(x, r).messages)
                    for (const rank_t block : blocks) {
                        const rank_t s = (r - block + p) % p;
                        CHECK((block + (s & (s - 1))) % p == message.second);
                    }
            CHECK(support::verified(x).ok());
        }
}
