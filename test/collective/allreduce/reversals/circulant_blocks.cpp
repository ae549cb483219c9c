#include "collsched/collective/allreduce/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

constexpr allreduce::circulant_blocks of(rank_t ranks, bytes_t bytes, bytes_t segment) {
    return {.ranks = ranks, .bytes = bytes, .of = {.segment = segment}};
}
static_assert(proved<verify(of(1, 9, 2))> && proved<verify(of(2, 9, 2))>);
static_assert(proved<verify(of(5, 9, 4))> && proved<verify(of(6, 9, 4), binding::in_place)>);

}  // namespace

TEST_CASE(
    "allreduce::circulant_blocks: 2 (S-1 + ceil(log2 p)) rounds, 2 (p-1) S messages, one in and one out per rank") {
    for (rank_t p = 2; p <= support::most(100); ++p)
        for (const bytes_t pieces : {1, 2, 5, 13}) {
            CAPTURE(p);
            CAPTURE(pieces);
            const metrics_report m = support::measured(of(p, 8 * pieces, 8));
            CHECK(m.rounds == 2 * (pieces - 1 + ceil_log2(p)));
            CHECK(m.messages == 2 * (p - 1) * pieces);
            CHECK(m.max_in_degree == 1);
            CHECK(m.max_out_degree == 1);
            CHECK(m.volume() <= 8 * (2 * pieces - 1 + 2 * ceil_log2(p)));
        }
}

TEST_CASE(
    "allreduce::circulant_blocks: correct for every p up to 64, in both bindings, with whole elements in every piece") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const bytes_t element : {1, 3, 8, 24})
            for (const bytes_t segment : {bytes_t{0}, 2 * element})
                for (const binding how : {binding::separate, binding::in_place}) {
                    CAPTURE(p);
                    const allreduce::circulant_blocks x{
                        .ranks = p, .bytes = 7 * element, .element = element, .of = {.segment = segment}};
                    CHECK(support::verified(x, how).ok());
                }
}
