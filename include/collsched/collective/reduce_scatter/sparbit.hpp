#pragma once

#include "collsched/collective/allgather/sparbit.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Simultaneous binomial trees to every rank, in order of increasing distance: with d = 1, 2, 4, ... rank r sends the
/// partial sums of the blocks r - d, r - 3d, r - 5d, ... whose distance is less than p to r - d. The reverse of
/// allgather::sparbit.
///
/// Rounds ceil(log2 p) for every p; every rank sends and receives p-1 blocks, in ceil(log2 p) messages. Reorders the
/// operands: commutative operations only. Every rank has p blocks of scratch.
/// Source of the allgather: Loch, Koslovski 2021.
struct sparbit {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::sparbit>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::sparbit{.ranks = ranks, .block = block}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::sparbit>(self, f);
    }
    bool operator==(const sparbit&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
