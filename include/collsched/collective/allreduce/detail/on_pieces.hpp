#pragma once

#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/segment.hpp"
#include "collsched/schedule/detail/schedule_adaptor.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A schedule whose reads and writes are shifted by `offset` bytes, in scratch by `scratch_offset`. It refers to the
/// base, which must outlive it: a loop over equal segments copies nothing.
template <schedule S>
class shifted_schedule : public schedule_adaptor<shifted_schedule<S>, const S&> {
    using adaptor = schedule_adaptor<shifted_schedule, const S&>;
    using adaptor::base;

  public:
    constexpr shifted_schedule(const S& s, bytes_t offset) : shifted_schedule(s, offset, offset) {}
    constexpr shifted_schedule(const S& s, bytes_t offset, bytes_t scratch_offset)
        : adaptor(s), offset_(offset), scratch_offset_(scratch_offset) {}

    constexpr step_ranges busy(rank_t r) const { return busy_steps(base(), r); }
    constexpr void sends(rank_t r, step_t k, auto f) const {
        base().sends(r, k, [&](const edge& e) { adapt(e, f); });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        base().receives(r, k, [&](const edge& e) { adapt(e, f); });
    }
    constexpr void adapt(edge e, auto& f) const {
        e.from_offset += shift(e.from);
        e.into_offset += shift(e.into);
        f(static_cast<const edge&>(e));
    }
    constexpr bytes_t scratch(rank_t r) const {
        return base().scratch(r) > 0 ? base().scratch(r) + scratch_offset_ : 0;
    }
    constexpr argument_error check() const {
        for (const bytes_t shift : {offset_, scratch_offset_})
            if (shift < 0) return {"shift", shift, "0 bytes or more"};
        return base().check();
    }
    constexpr std::uint64_t fingerprint() const {
        return fingerprint_of("shifted", base().fingerprint(), offset_, scratch_offset_);
    }

  private:
    constexpr bytes_t shift(buffer b) const { return b == buffer::scratch ? scratch_offset_ : offset_; }

    bytes_t offset_, scratch_offset_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail

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
