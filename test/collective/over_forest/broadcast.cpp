#include "collsched/collective/over_forest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/execute/inline.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/verify/verify.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/parameters.hpp"
#include "support/random_forest.hpp"
#include "support/real_bytes.hpp"
#include "support/verified.hpp"

using namespace collsched;
using broadcast::over_forest;

static_assert(support::has_parameters<over_forest>({{"window", 1}}));
static_assert(proved<verify(over_forest{
                  .ranks = 3, .root = 0, .bytes = 28, .element = 4, .segment = 8, .forest = support::three_ranks()})>);
static_assert(proved<verify(over_forest{.ranks = 3, .root = 1, .bytes = 5, .forest = support::three_ranks()},
                            binding::in_place)>);
static_assert(proved<verify(over_forest{.bytes = 5})>);

TEST_CASE("broadcast::over_forest: verified over random forests, for every root, whole and in segments") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (rank_t root = 0; root < p; root += 1 + p / 3)
            for (const auto& [bytes, element] : support::message_sizes(p)) {
                if (p > 16 && p % 12 != 0 && bytes != 0) continue;
                INFO(p, " ", root, " ", bytes, " ", element);
                const trees::planned_forest forest = support::random_forest(static_cast<std::uint64_t>(p), p, 5);
                const bytes_t segment = bytes > 1000 ? bytes / element / 9 * element : 2 * element;
                const over_forest whole{.ranks = p, .root = root, .bytes = bytes, .element = element, .forest = forest};
                over_forest cut = whole;
                cut.segment = segment;
                cut.window = 1;
                CHECK(support::verified(whole).ok());
                CHECK(support::verified(cut).ok());
                CHECK(support::verified(cut, binding::in_place).ok());
            }
}

TEST_CASE("broadcast::over_forest: verified for every p up to 64, over a forest of the root alone") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const bytes_t n : {1, 3, 50}) {
            INFO(p, " ", n);
            const over_forest x{.ranks = p,
                                .root = p / 2,
                                .bytes = 4 * n,
                                .element = 4,
                                .segment = 8,
                                .forest = support::random_forest(static_cast<std::uint64_t>(n), p, 6, p / 2)};
            CHECK(support::verified(x).ok());
            const metrics_report m = support::measured(x);
            for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_received[r] == (r == p / 2 ? 0 : 4 * n));
        }
}

TEST_CASE("broadcast::over_forest: the messages of allgather::over_forest for one block among empty ones") {
    for (const rank_t p : {2, 9, 20})
        for (rank_t root = 0; root < p; root += 4) {
            std::vector<bytes_t> counts(static_cast<std::size_t>(p));
            counts[static_cast<std::size_t>(root)] = 70;
            const trees::planned_forest forest = support::random_forest(1, p);
            CHECK(support::same_edges(
                allgather::over_forest{.ranks = p, .block = block_layout(counts), .segment = 10, .forest = forest},
                over_forest{.ranks = p, .root = root, .bytes = 70, .segment = 10, .forest = forest}));
        }
}

TEST_CASE("broadcast::over_forest: right with real bytes over a network") {
    for (const rank_t p : {1, 2, 6, 11})
        for (const binding how : {binding::separate, binding::in_place}) {
            const over_forest x{.ranks = p,
                                .root = p - 1,
                                .bytes = 100,
                                .element = 4,
                                .segment = 8,
                                .window = 2,
                                .forest = support::random_forest(static_cast<std::uint64_t>(p), p)};
            const auto [bytes, memory] = support::filled(lower(x).contract(), how);
            REQUIRE(run_inline(x, memory, how).done());
            for (auto& b : bytes) REQUIRE(b.wrong() == "");
        }
}

TEST_CASE("broadcast::over_forest: a root without trees, and wrong parameters, are rejected") {
    const auto wrong = [](const over_forest& x) { return std::string(check(x).text().c_str()); };
    const trees::planned_forest forest = support::random_forest(1, 4, 3, 2);
    CHECK(wrong({.ranks = 4, .root = 2, .bytes = 9, .forest = forest}) == "no error");
    CHECK(wrong({.ranks = 4, .root = 1, .bytes = 9, .forest = forest}) ==
          "forest[1]: got 0, expected trees of every rank that sends bytes");
    CHECK(wrong({.ranks = 4, .root = 1, .bytes = 0, .forest = forest}) == "no error");
    CHECK(wrong({.ranks = 4, .root = 4, .bytes = 9, .forest = forest}) == "root: got 4, expected 0 to ranks-1");
    CHECK(wrong({.ranks = 5, .root = 2, .bytes = 9, .forest = forest}).starts_with("ranks: got 5"));
    CHECK(wrong({.ranks = 4, .root = 2, .bytes = 9, .element = 2, .forest = forest}).starts_with("element: got 2"));
    CHECK(wrong({.ranks = 4, .root = 2, .bytes = INT64_MAX, .segment = 1, .forest = forest}).starts_with("segment"));
}
