#include "collsched/collective/alltoall/grouped.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/brief.hpp"
#include "support/exchange_proofs.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;
using alltoall::grouped;

static_assert(support::has_parameters<alltoall::grouped>({{"group", 1}, {"window", 1}}));
static_assert(support::exchange_proved<grouped>());

TEST_CASE("alltoall::grouped: verified for every group in any order, in long runs for p up to 64") {
    const rank_t most = support::long_run() ? 64 : 24;
    for (rank_t p = 1; p <= most; ++p) {
        const auto matrices = support::matrices(p);
        for (rank_t group = 1; group <= p; ++group) {
            CAPTURE(p);
            CAPTURE(group);
            const auto& [name, blocks] = matrices[static_cast<std::size_t>(group) % matrices.size()];
            CAPTURE(name);
            const auto seed = static_cast<std::uint64_t>(group);
            CHECK(support::verified(grouped{.ranks = p, .block = 3, .group = group}).ok());
            CHECK(support::verified(
                      grouped{.ranks = p, .block = blocks, .group = group, .order = support::shuffled_ranks(p, seed)})
                      .ok());
        }
    }
}

TEST_CASE("alltoall::grouped: rounds, messages, bytes and degrees equal their formulas") {
    for (rank_t p = 1; p <= 33; ++p)
        for (rank_t group = 1; group <= p; ++group) {
            CAPTURE(p);
            CAPTURE(group);
            const metrics_report m = support::measured(
                grouped{.ranks = p, .block = 8, .group = group, .order = support::shuffled_ranks(p, 7)});
            CHECK(m.steps == p);
            CHECK(m.rounds == (group == p ? p - 1 : p));  // the last is copies where all are one group
            CHECK(m.messages == p * (p - 1));
            CHECK(m.max_in_degree == (p == 1 ? 0 : 1));
            CHECK(m.max_out_degree <= (p + group - 1) / group + (p % group != 0 ? p : 0));
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == 8 * (p - 1));
                CHECK(m.bytes_received[r] == 8 * (p - 1));
                CHECK(m.copied_bytes[r] == 8);
            }
        }
}

TEST_CASE("alltoall::grouped: another order gives the same edges with other ranks") {
    const permutation order = support::shuffled_ranks(11, 5);
    const auto same = materialize(relabel(grouped{.ranks = 11, .block = 8, .group = 4}, order));
    const auto made = materialize(grouped{.ranks = 11, .block = 8, .group = 4, .order = order});
    REQUIRE(same.edges().size() == made.edges().size());
    for (std::size_t i = 0; i < made.edges().size(); ++i) {
        CHECK(same.edges()[i].src == made.edges()[i].src);
        CHECK(same.edges()[i].dst == made.edges()[i].dst);
        CHECK(same.edges()[i].step == made.edges()[i].step);
    }
}

TEST_CASE("alltoall::grouped: invalid groups and orders are rejected") {
    CHECK(std::string(check(grouped{.ranks = 4, .block = 1, .group = 0}).argument) == "group");
    CHECK(std::string(check(grouped{.ranks = 4, .block = 1, .group = 5}).argument) == "group");
    CHECK(std::string(check(grouped{.ranks = 4, .block = 1, .order = support::shuffled_ranks(5, 1)}).argument) ==
          "order");
    CHECK(fingerprint(grouped{.ranks = 4, .block = 1, .order = support::shuffled_ranks(4, 1)}) !=
          fingerprint(grouped{.ranks = 4, .block = 1}));
}
