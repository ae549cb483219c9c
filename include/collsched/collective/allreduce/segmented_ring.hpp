#pragma once

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/combine/segment.hpp"
#include "collsched/combine/detail/shifted_schedule.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

/// The concatenation of ring schedules along the message. Each has the size of the first or of the last piece.
template <schedule Ring>
struct rings_on_pieces {
    block_layout cut;
    rank_t pieces;
    Ring first, last;

    constexpr collsched::detail::shifted_schedule<Ring> operator()(rank_t i) const {
        return {cut.count(i) == cut.count(0) ? first : last, cut.displ(i)};
    }
    constexpr void kinds(auto f) const {
        f(rank_t{0});
        f(pieces - 1);
    }
};

}  // namespace detail

/// The ring on pieces of at most `segment` bytes (0: one piece), each p steps after the previous one: the results of a
/// piece and the sums of the next one are passed around at the same time. Combination and transfer overlap.
///
/// Rounds (S+1)(p-1) for S = ceil(bytes / segment) pieces, with one or two messages per rank; every rank sends and
/// receives 2 m (p-1)/p bytes, up to one element per part of a piece. No scratch. Commutative operations only.
/// Source: Open MPI's segmented ring (Pjesivac-Grbovic 2007).
struct segmented_ring {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;

    static constexpr algorithm_info info{.collective = collective::allreduce,
                                         .name = "segmented-ring",
                                         .rounds = "(S+1)(p-1)",
                                         .source = "Pjesivac-Grbovic 2007",
                                         .commutative = true};

    constexpr rank_t pieces() const { return collsched::detail::piece_count(bytes, segment); }

    constexpr auto view() const {
        const contract whole = contract_of(*this);
        const auto unchanged = [](rank_t, buffer b) { return location{b, 0}; };
        const auto of_size = [&](bytes_t size) {
            return rename_buffers(ring{.ranks = ranks, .bytes = size, .element = element}, unchanged, whole);
        };
        const block_layout cut = block_layout::partition(bytes, pieces(), element);
        const detail::rings_on_pieces all{cut, pieces(), of_size(cut.count(0)), of_size(cut.count(pieces() - 1))};
        return collsched::segment(all, pieces(), ranks > 0 ? ranks : 1);
    }

    constexpr argument_error check() const {
        if (((checked(pieces()) + 2) * ranks * 2).ok()) return {};
        return {"segment", segment, "segments so large that p (S+2) is less than 2^62"};
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("bytes", self.bytes);
        f("element", self.element);
        f("segment", self.segment);
    }
    bool operator==(const segmented_ring&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
