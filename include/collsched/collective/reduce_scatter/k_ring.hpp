#pragma once

#include "collsched/collective/allgather/k_ring.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Rings within groups of k = group consecutive ranks, and a ring of the groups: the reverse of allgather::k_ring. All
/// ranks of a group share the transfer of partial sums to the next group.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. k divides p, or is greater. Reorders the operands: commutative
/// operations only. Every rank has p blocks of scratch.
/// Source of the allgather: Wilkins et al. 2023.
struct k_ring {
    rank_t ranks = 1;
    block_layout block = 0;
    rank_t group = 2;  ///< ranks per group k, 1 or more; a divisor of p, or above p, which counts as p
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::k_ring>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::k_ring{.ranks = ranks, .block = block, .group = group},
                                                element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::k_ring>(self, f);
    }
    bool operator==(const k_ring&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
