#pragma once

#include "collsched/collective/allreduce/detail/on_pieces.hpp"
#include "collsched/collective/allreduce/ring.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// The ring on pieces of at most `segment` bytes (0: one piece), each p-1 steps after the previous one: the results
/// of a piece and the sums of the next one are passed around at the same time. Combination and transfer overlap.
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
        return detail::on_pieces(contract_of(*this), pieces(), ranks > 1 ? ranks - 1 : 1, [this](bytes_t size) {
            return ring{.ranks = ranks, .bytes = size, .element = element};
        });
    }

    constexpr argument_error check() const {
        if (((checked(pieces()) + 2) * ranks * 2).ok()) return {};
        return {"segment", segment, "segments so large that p (S+2) is less than 2^62"};
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
    }
    bool operator==(const segmented_ring&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
