#include "collsched/collective/over_forest.hpp"

#include <doctest/doctest.h>

#include "collsched/execute/inline.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/random_forest.hpp"
#include "support/real_bytes.hpp"
#include "support/verified.hpp"

using namespace collsched;
using reduce::over_forest;

static_assert(support::has_parameters<over_forest>({{"window", 1}}));
static_assert(over_forest::info.commutative && over_forest::info.collective == collective::reduce);
static_assert(
    proved<verify(over_forest{
        .ranks = 3, .root = 0, .bytes = 28, .element = 4, .of = {.segment = 8, .forest = support::three_ranks()}})>);
static_assert(proved<verify(over_forest{.ranks = 3, .root = 2, .bytes = 2, .of = {.forest = support::three_ranks()}},
                            binding::in_place)>);

TEST_CASE("reduce::over_forest: verified for every p up to 64, and every rank but the root sends all bytes once") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (rank_t root = 0; root < p; root += 1 + p / 2)
            for (const bytes_t n : {0, 1, 3, 50}) {
                INFO(p, " ", root, " ", n);
                const over_forest x{
                    .ranks = p,
                    .root = root,
                    .bytes = 4 * n,
                    .element = 4,
                    .of = {.segment = 8, .forest = support::random_forest(static_cast<std::uint64_t>(p), p, 5, root)}};
                CHECK(support::verified(x).ok());
                if (p < 20) CHECK(support::verified(x, binding::in_place).ok());
                const metrics_report m = support::measured(x);
                for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_sent[r] == (r == root ? 0 : 4 * n));
            }
}

TEST_CASE("reduce::over_forest: right with real bytes over a network") {
    for (const rank_t p : {1, 2, 6, 11})
        for (const binding how : {binding::separate, binding::in_place}) {
            const over_forest x{
                .ranks = p,
                .root = p - 1,
                .bytes = 100,
                .element = 4,
                .of = {.segment = 8, .window = 2, .forest = support::random_forest(static_cast<std::uint64_t>(p), p)}};
            const contract contract = lower(x).contract();
            const auto [bytes, memory] = support::filled(contract, how);
            REQUIRE(run_inline(x, memory, how, support::operation(contract)).done());
            for (auto& b : bytes) REQUIRE(b.wrong() == "");
        }
}

TEST_CASE("reduce::over_forest: a forest without trees of the root is rejected") {
    const trees::planned_forest forest = support::random_forest(1, 4, 3, 2);
    CHECK(!check(over_forest{.ranks = 4, .root = 2, .bytes = 9, .of = {.forest = forest}}));
    CHECK(check(over_forest{.ranks = 4, .root = 1, .bytes = 9, .of = {.forest = forest}}) ==
          argument_error{"forest", 0, "trees of every rank that sends bytes", 1});
}
