#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::sparbit>());
static_assert(detail::same_text(reduce_scatter::sparbit::info.name, "sparbit") &&
              reduce_scatter::sparbit::info.commutative);
static_assert(support::proved_up_to_17<reduce_scatter::sparbit>::value);

TEST_CASE("reduce_scatter::sparbit: rounds, messages and bytes equal their formulas, for every p") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        support::check_counts(reduce_scatter::sparbit{.ranks = p, .block = 8}, ceil_log2(p), p * ceil_log2(p));
    }
}

TEST_CASE(
    "reduce_scatter::sparbit: over distance d a rank sends the blocks r - d, r - 3d, ... that are less than p away") {
    for (rank_t p = 2; p <= support::most(100); ++p) {
        CAPTURE(p);
        const rank_t r = p / 3;
        for (const auto& [message, blocks] :
             support::sent_blocks(reduce_scatter::sparbit{.ranks = p, .block = 1}, r).messages) {
            const rank_t d = rank_t{1} << (message.first - 1);
            CHECK(message.second == (r - d + p) % p);
            std::set<rank_t> expected;
            for (rank_t away = d; away < p; away += 2 * d) expected.insert((r - away + p) % p);
            CHECK(blocks == expected);
        }
    }
}
