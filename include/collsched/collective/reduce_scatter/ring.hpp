#pragma once

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

namespace detail {

/// See ring.
struct ring_label {
    static constexpr const char* source = "Patarasuk, Yuan 2009";
};

}  // namespace detail

/// The partial sum of every block is passed once around the ring: in round i = 1 .. p-1 rank r sends that of block r+i
/// to r-1. The reverse of allgather::ring.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. Reorders the operands: commutative operations only. Every rank
/// has p blocks of scratch.
/// Source: Patarasuk, Yuan 2009.
struct ring {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::ring, detail::ring_label>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::ring{.ranks = ranks, .block = block}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::ring>(self, f);
    }
    bool operator==(const ring&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
