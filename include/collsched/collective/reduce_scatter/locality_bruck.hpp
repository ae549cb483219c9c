#pragma once

#include "collsched/collective/allgather/locality_bruck.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// The ranks of a region of R = group consecutive ranks first combine the operands of blocks of other regions among
/// themselves. Then each of them but one sends sums to different regions. The reverse of allgather::locality_bruck.
///
/// Rounds, for p > 1, ceil(log_R p) * (ceil(log2 R) + 1) - 1, including ceil(log_R p) - 1 between regions. Every rank
/// sends p-1 blocks, in at most one message per step. A region sends and receives p-R blocks, the minimum. R divides p;
/// a region size above p counts as p. Reorders the operands: commutative operations only. Every rank has p blocks of
/// scratch.
/// Source: Bienz, Gautam, Kharel 2022, for the allgather.
struct locality_bruck {
    rank_t ranks = 1;
    block_layout block = 0;
    rank_t group = 2;  ///< ranks per region R, 2 or more; a divisor of p, or above p, which counts as p
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::locality_bruck>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(
            allgather::locality_bruck{.ranks = ranks, .block = block, .group = group}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::locality_bruck>(self, f);
    }
    bool operator==(const locality_bruck&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
