#include "collsched/collective/allreduce/detail/on_pieces.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allreduce/interval_doubling.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "support/block_counts.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

/// Tests an allreduce on 2 to `most` pieces of its message.
template <class A>
void check_on_pieces(const A& whole, rank_t most) {
    const auto on = [&](rank_t pieces, step_t period) {
        return allreduce::detail::on_pieces(lower(whole).contract(), pieces, period, [whole](bytes_t size) {
            A piece = whole;
            piece.bytes = size;
            return piece;
        });
    };
    CHECK(support::same_edges(on(1, 1), whole));
    for (rank_t pieces = 2; pieces <= most; ++pieces)
        for (step_t period = 1; period <= 3; ++period) {
            CAPTURE(pieces);
            CHECK(support::verified(on(pieces, period)).ok());
            CHECK(on(pieces, period).steps() == lower(whole).steps() + (pieces - 1) * period);
        }
}

}  // namespace

TEST_CASE("on_pieces: an allreduce on every piece, each a period after the one before") {
    check_on_pieces(allreduce::recursive_doubling{.ranks = 4, .bytes = 22, .element = 2}, 11);
    // The last of 12 pieces has no bytes. The steps of this allreduce do not depend on them.
    check_on_pieces(allreduce::interval_doubling{.ranks = 4, .bytes = 22, .element = 2}, 12);
}

TEST_CASE("on_pieces: every piece has its own range of scratch") {
    const contract whole{.collective = collective::allreduce, .ranks = 5, .bytes = 22, .element = 2};
    const auto pieces = allreduce::detail::on_pieces(whole, 4, 1, [](bytes_t size) {
        return allreduce::interval_doubling{.ranks = 5, .bytes = size, .element = 2, .radix = 4};
    });
    CHECK(support::verified(pieces).ok());
    CHECK(pieces.scratch(0) == 3 * 4 * 6 + 4 * 4);  // pieces of 6, 6, 6 and 4 bytes
}
