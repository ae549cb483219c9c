#pragma once

#include "collsched/collective/broadcast/circulant.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// Reduce in pieces of at most `segment` bytes (0: in one piece) over a circulant graph: the reverse of
/// broadcast::circulant, with combination. Reorders the operands: commutative operations only.
///
/// Rounds S-1+ceil(log2 p) for S = ceil(bytes / segment) pieces, for every p. Every rank but the root sends all bytes
/// once, and has as much scratch.
/// Source: Traeff 2024.
struct circulant {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;

    static constexpr algorithm_info info = collsched::detail::reversed_info<broadcast::circulant>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(
            broadcast::circulant{.ranks = ranks, .root = root, .bytes = bytes, .element = element, .segment = segment});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<broadcast::circulant>(self, f);
    }
    bool operator==(const circulant&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce
