#pragma once

#include "collsched/collective/allgather/bine.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// The reverse of allgather::bine. At level s = q-1, ..., 1, 0, q = ceil(log2 p), a rank sends its
/// allgather::swing_peer all but 2^s of its remaining blocks: the cyclically consecutive blocks on the peer's side.
///
/// Rounds ceil(log2 p), p even (or 1); every rank sends and receives p-1 blocks. Reorders the operands: commutative
/// operations only. Every rank has p blocks of scratch.
/// Source: De Sensi et al. 2025, "Bine trees".
struct bine {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::bine>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::bine{.ranks = ranks, .block = block}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::bine>(self, f);
    }
    bool operator==(const bine&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
