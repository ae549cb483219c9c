#pragma once

#include "collsched/collective/allgather/swing.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Ranks exchange half of their remaining blocks with allgather::swing_peer at level 0, 1, 2, ...: neighbors first,
/// with the longest messages. The reverse of allgather::swing.
///
/// Rounds log2 p, p a power of two; every rank sends and receives p-1 blocks. Reorders the operands: commutative
/// operations only. Every rank has p blocks of scratch.
/// Source: De Sensi et al. 2024, "Swing".
struct swing {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::swing>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::swing{.ranks = ranks, .block = block}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::swing>(self, f);
    }
    bool operator==(const swing&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
