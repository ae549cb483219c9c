#include "collsched/collective/reduce_scatter/ring.hpp"

#include <doctest/doctest.h>

#include "support/block_counts.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(detail::same_text(reduce_scatter::ring::info.name, "ring") && reduce_scatter::ring::info.commutative);
static_assert(support::proved_up_to_17<reduce_scatter::ring>::value);

TEST_CASE("rounds, messages and bytes equal their formulas, with copies before and after") {
    for (rank_t p = 1; p <= 256; ++p) {
        CAPTURE(p);
        const reduce_scatter::ring x{{.ranks = p, .block = 8}};
        support::check_counts(x, p - 1, p * (p - 1));
        CHECK(lower(x).steps() == (p == 1 ? 1 : p + 1));
        CHECK(lower(x).scratch(p / 2) == (p == 1 ? 0 : 8 * p));
    }
}

TEST_CASE("in round i a rank sends block r+i to the rank before it") {
    for (rank_t p = 2; p <= 20; ++p)
        for (rank_t r = 0; r < p; ++r)
            for (const auto& [message, blocks] :
                 support::sent_blocks(reduce_scatter::ring{{.ranks = p, .block = 1}}, r).messages) {
                CHECK(message.second == (r + p - 1) % p);
                CHECK(blocks == std::set<rank_t>{(r + message.first) % p});
            }
}
