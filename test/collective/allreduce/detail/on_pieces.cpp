#include "collsched/collective/allreduce/detail/on_pieces.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allreduce/interval_doubling.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "support/block_counts.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

auto doubling_on(rank_t pieces, step_t period) {
    const contract whole{.collective = collective::allreduce, .ranks = 4, .bytes = 22, .element = 2};
    return allreduce::detail::on_pieces(whole, pieces, period, [](bytes_t size) {
        return allreduce::recursive_doubling{.ranks = 4, .bytes = size, .element = 2};
    });
}

}  // namespace

TEST_CASE("on_pieces: an allreduce on every piece, each a period after the one before") {
    const allreduce::recursive_doubling whole{.ranks = 4, .bytes = 22, .element = 2};
    CHECK(support::same_edges(doubling_on(1, 1), whole));
    for (rank_t pieces = 2; pieces <= 11; ++pieces)
        for (step_t period = 1; period <= 3; ++period) {
            CAPTURE(pieces);
            CHECK(support::verified(doubling_on(pieces, period)).ok());
            CHECK(doubling_on(pieces, period).steps() == lower(whole).steps() + (pieces - 1) * period);
        }
}

TEST_CASE("on_pieces: every piece has its own range of scratch") {
    const contract whole{.collective = collective::allreduce, .ranks = 5, .bytes = 22, .element = 2};
    const auto pieces = allreduce::detail::on_pieces(whole, 4, 1, [](bytes_t size) {
        return allreduce::interval_doubling{.ranks = 5, .bytes = size, .element = 2, .radix = 4};
    });
    CHECK(support::verified(pieces).ok());
    CHECK(pieces.scratch(0) == 3 * 4 * 6 + 4 * 4);  // pieces of 6, 6, 6 and 4 bytes
}
