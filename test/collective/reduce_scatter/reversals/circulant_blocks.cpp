#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;
using reduce_scatter::circulant_blocks;

static_assert(support::has_parameters<reduce_scatter::circulant_blocks>());
static_assert(detail::same_text(circulant_blocks::info.name, "circulant-blocks") && circulant_blocks::info.commutative);
static_assert(support::proved_up_to_17<circulant_blocks, std::make_integer_sequence<rank_t, 16>>::value);
static_assert(proved<verify(circulant_blocks{.ranks = 7, .block = 6, .element = 2, .of = {.segment = 2}})>);

TEST_CASE("reduce_scatter::circulant_blocks: S-1+q rounds of one message per rank, which sends all other blocks") {
    for (rank_t p = 1; p <= support::most(130); ++p)
        for (const bytes_t segment : {0, 20, 8, 3}) {
            if (p > 24 && (p + segment) % 13 != 0) continue;
            CAPTURE(p);
            CAPTURE(segment);
            const metrics_report m =
                support::measured(circulant_blocks{.ranks = p, .block = 40, .of = {.segment = segment}});
            CHECK(m.rounds == (p == 1 ? 0 : detail::piece_count(40, segment) - 1 + ceil_log2(p)));
            CHECK(m.messages == p * m.rounds);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == 40 * (p - 1));
                CHECK(m.scratch[r] == (p == 1 ? 0 : 40 * p));
            }
        }
}

TEST_CASE(
    "reduce_scatter::circulant_blocks: verified for p up to 64, all layouts, several pieces, separate and in place") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const auto& [name, blocks] : support::layouts(p)) {
            if (p > 12 && p % 21 != 0) continue;
            const bytes_t segment = blocks.extent(p) > 4000 ? 700 : 3;
            CAPTURE(p);
            CAPTURE(name);
            CHECK(support::verified(circulant_blocks{.ranks = p, .block = blocks}).ok());
            CHECK(support::verified(circulant_blocks{.ranks = p, .block = blocks, .of = {.segment = segment}},
                                    binding::in_place)
                      .ok());
        }
    for (rank_t p = 13; p <= support::most(64); ++p) {
        CAPTURE(p);
        CHECK(support::verified(circulant_blocks{.ranks = p, .block = 9, .of = {.segment = 3}}).ok());
    }
}

TEST_CASE("reduce_scatter::circulant_blocks: verified for every p at which an iterative form of the search fails") {
    for (const rank_t p : {33, 65, 66, 67, 69, 73, 81, 129}) {
        CAPTURE(p);
        CHECK(support::verified(circulant_blocks{.ranks = p, .block = 3, .of = {.segment = 1}}).ok());
    }
}

TEST_CASE("reduce_scatter::circulant_blocks: correct by the oracle, and no element is split") {
    for (const rank_t p : {1, 2, 3, 5, 6, 9})
        for (const auto& [name, blocks] : support::layouts(p, 3)) {
            if (blocks.extent(p) > 1000) continue;
            CAPTURE(name);
            for (const binding how : {binding::separate, binding::in_place})
                CHECK(support::replays(circulant_blocks{.ranks = p, .block = blocks, .of = {.segment = 2}}, how));
        }
    for (const edge& e : edges(circulant_blocks{.ranks = 11, .block = 40, .element = 8, .of = {.segment = 16}})) {
        CHECK(e.size % 8 == 0);
        CHECK(e.into_offset % 8 == 0);
    }
}
