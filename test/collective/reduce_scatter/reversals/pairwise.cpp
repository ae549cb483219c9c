#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::pairwise>());
static_assert(detail::same_text(reduce_scatter::pairwise::info.name, "pairwise") &&
              reduce_scatter::pairwise::info.commutative);
static_assert(support::proved_up_to_17<reduce_scatter::pairwise>::value);

TEST_CASE("reduce_scatter::pairwise: rounds, messages and bytes equal their formulas") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        support::check_counts(reduce_scatter::pairwise{.ranks = p, .block = 8}, p - 1, p * (p - 1));
    }
}

TEST_CASE("reduce_scatter::pairwise: in round i a rank sends block r+i to r+i, from its own input alone") {
    for (rank_t p = 2; p <= 20; ++p)
        for (rank_t r = 0; r < p; ++r) {
            const support::sent_blocks sent(reduce_scatter::pairwise{.ranks = p, .block = 1}, r);
            CHECK(std::ssize(sent.messages) == p - 1);
            for (const auto& [message, blocks] : sent.messages) {
                CHECK(message.second == (r + message.first) % p);
                CHECK(blocks == std::set<rank_t>{message.second});
            }
        }
}

TEST_CASE("reduce_scatter::pairwise: the window is that of the allgather") {
    CHECK(lower(reduce_scatter::pairwise{.ranks = 4, .block = 1}).pacing() == pacing{0});
    CHECK(lower(reduce_scatter::pairwise{.ranks = 4, .block = 1, .of = {.window = 1}}).pacing() == pacing{1});
}
