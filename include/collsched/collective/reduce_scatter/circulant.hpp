#pragma once

#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// The reverse of allgather::circulant. Over the skips s_q = p, s_k = ceil(s_{k+1} / 2) rank r sends, for k = q-1 .. 0,
/// the partial sums of the blocks r + s_k .. r + s_{k+1} - 1 to r + s_k.
///
/// Rounds q = ceil(log2 p) for every p; every rank sends and receives p-1 blocks, in q messages. Both numbers are
/// optimal. Reorders the operands: commutative operations only. Every rank has p blocks of scratch.
/// Source: Traeff 2024.
struct circulant {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::circulant>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::circulant{.ranks = ranks, .block = block}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::circulant>(self, f);
    }
    bool operator==(const circulant&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
