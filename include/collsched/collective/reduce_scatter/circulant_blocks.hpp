#pragma once

#include "collsched/collective/allgather/circulant_blocks.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Simultaneous reductions of all blocks in pieces over a circulant graph: the reverse of allgather::circulant_blocks,
/// with combination. Reorders the operands: commutative operations only.
///
/// Rounds S-1+ceil(log2 p), where the largest block is cut into S pieces of at most `segment` bytes (0: one), for every
/// p. Every rank sends every other block once, in messages of at most m/S + p * element bytes for m bytes of all
/// blocks. Every rank has m bytes of scratch.
/// Source: Traeff 2024.
struct circulant_blocks {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;
    bytes_t segment = 0;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::circulant_blocks>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(
            allgather::circulant_blocks{.ranks = ranks, .block = block, .element = element, .segment = segment});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::circulant_blocks>(self, f);
    }
    bool operator==(const circulant_blocks&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
