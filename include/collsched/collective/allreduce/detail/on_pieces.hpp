#pragma once

#include "collsched/combine/detail/shifted_schedule.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/segment.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce::detail {

/// The schedules of the pieces of a message. Each has the size of the first or of the last piece, and its own range of
/// `scratch` bytes of scratch.
template <schedule S>
struct pieces_in_sequence {
    block_layout cut;
    rank_t pieces;
    bytes_t scratch;
    S first, last;

    constexpr collsched::detail::shifted_schedule<S> operator()(rank_t i) const {
        return {cut.count(i) == cut.count(0) ? first : last, cut.displ(i),
                collsched::detail::saturated(collsched::checked(scratch) * i)};
    }
    constexpr void kinds(auto f) const {
        f(rank_t{0});
        f(pieces - 1);
    }
};

/// Returns an allreduce on pieces of the message, each `period` steps after the one before.
/// @param contract  contract of the allreduce
/// @param pieces    number of pieces, 1 or more
/// @param period    steps between the starts of two pieces, 1 or more
/// @param of_size   of_size(bytes) returns the allreduce of a piece, with equal scratch on all ranks, and no more for
///                  fewer bytes
/// @pre the scratch of a piece, times `pieces`, is below 2^63 bytes; the allreduces of all pieces have as many steps, those
///      without bytes too if there are any
template <class OfSize>
constexpr auto on_pieces(const contract& contract, rank_t pieces, step_t period, const OfSize& of_size) {
    const block_layout cut = block_layout::partition(contract.bytes, pieces, contract.element);
    const auto piece = [&](rank_t i) {
        return rename_buffers(of_size(cut.count(i)), collsched::detail::same_buffers, contract);
    };
    const auto first = piece(0);
    const bytes_t scratch = first.check() ? 0 : first.scratch(0);
    return collsched::segment(pieces_in_sequence<decltype(piece(0))>{cut, pieces, scratch, first, piece(pieces - 1)},
                              pieces, period);
}

}}}  // namespace collsched::COLLSCHED_ABI::allreduce::detail
