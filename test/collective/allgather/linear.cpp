#include "collsched/collective/allgather/linear.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::linear>());
static_assert(support::proved_up_to_17<allgather::linear>::value);

TEST_CASE("allgather::linear: rounds, messages and bytes equal their formulas") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        support::check_counts(allgather::linear{.ranks = p, .block = 8}, p - 1, p * (p - 1));
    }
}

TEST_CASE("allgather::linear: in step k a rank sends its own block to the rank k+1 further, and no other block") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t r = 0; r < p; ++r) {
            const support::sent_blocks sent(allgather::linear{.ranks = p, .block = 1}, r);
            CHECK(std::ssize(sent.messages) == p - 1);
            for (const auto& [message, blocks] : sent.messages) {
                CHECK(message.second == (r + message.first + 1) % p);
                CHECK(blocks == std::set<rank_t>{r});
            }
        }
}

TEST_CASE("allgather::linear: the caller chooses the window") {
    CHECK(lower(allgather::linear{.ranks = 4, .block = 1}).pacing() == pacing{0});
    CHECK(lower(allgather::linear{.ranks = 4, .block = 1, .window = 3}).pacing() == pacing{3});
    CHECK(std::string(check(allgather::linear{.ranks = 4, .block = 1, .window = -1}).argument) == "window");
}
