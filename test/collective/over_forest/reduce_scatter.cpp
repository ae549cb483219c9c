#include "collsched/collective/over_forest.hpp"

#include <doctest/doctest.h>

#include "collsched/execute/inline.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/random_forest.hpp"
#include "support/real_bytes.hpp"
#include "support/verified.hpp"

using namespace collsched;
using reduce_scatter::over_forest;

static_assert(support::has_parameters<over_forest>({{"window", 1}}));
static_assert(over_forest::info.commutative && over_forest::info.collective == collective::reduce_scatter);
static_assert(proved<verify(over_forest{
                  .ranks = 3, .block = 20, .element = 4, .of = {.segment = 8, .forest = support::three_ranks()}})>);
static_assert(
    proved<verify(over_forest{.ranks = 3, .block = 2, .of = {.forest = support::three_ranks()}}, binding::in_place)>);

TEST_CASE("reduce_scatter::over_forest: verified over random forests, for every layout, separate and in place") {
    for (rank_t p = 1; p <= support::most(64); p += p < 10 ? 1 : 18)
        for (const bytes_t element : {1, 4})
            for (const auto& [name, blocks] : support::layouts(p, 5 * element)) {
                const over_forest x{.ranks = p,
                                    .block = blocks,
                                    .element = element,
                                    .of = {.segment = blocks.extent(p) > 4000 ? 200 * element : 2 * element,
                                           .forest = support::random_forest(static_cast<std::uint64_t>(p), p)}};
                if (check(x)) continue;  // gaps that do not suit the element
                INFO(p, " ", name, " ", element);
                CHECK(support::verified(x).ok());
                if (p < 20) CHECK(support::verified(x, binding::in_place).ok());
            }
}

TEST_CASE("reduce_scatter::over_forest: verified for every p up to 64, and every rank sends every other block once") {
    for (rank_t p = 1; p <= support::most(64); ++p) {
        CAPTURE(p);
        const over_forest x{
            .ranks = p,
            .block = 28,
            .element = 4,
            .of = {.segment = 8, .window = 2, .forest = support::random_forest(static_cast<std::uint64_t>(p), p)}};
        CHECK(support::verified(x).ok());
        const metrics_report m = support::measured(x);
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_sent[r] == 28 * (p - 1));
        CHECK(lower(x).pacing().window == 1 + x.of.forest.hops()->longest);
    }
}

TEST_CASE("reduce_scatter::over_forest: right with real bytes over a network") {
    for (const rank_t p : {1, 2, 5, 9})
        for (const binding how : {binding::separate, binding::in_place}) {
            const over_forest x{
                .ranks = p,
                .block = 36,
                .element = 4,
                .of = {.segment = 8, .forest = support::random_forest(static_cast<std::uint64_t>(p), p)}};
            const contract contract = lower(x).contract();
            const auto [bytes, memory] = support::filled(contract, how);
            REQUIRE(run_inline(x, memory, how, support::operation(contract)).done());
            for (auto& b : bytes) REQUIRE(b.wrong() == "");
        }
}

TEST_CASE("reduce_scatter::over_forest: a forest for other ranks is rejected, and another forest is another schedule") {
    const over_forest x{.ranks = 4, .block = 8, .of = {.forest = support::random_forest(1, 4)}};
    over_forest y = x;
    CHECK(!check(x));
    CHECK(fingerprint(x) == fingerprint(y));
    y.of.forest = support::random_forest(2, 4);
    CHECK(fingerprint(x) != fingerprint(y));
    y.ranks = 5;
    CHECK(check(y) == argument_error{"ranks", 5, "as many ranks as the forest has"});
}
