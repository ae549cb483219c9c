#pragma once

#include "collsched/collective/allgather/linear.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

namespace detail {

/// See pairwise.
struct pairwise_label {
    static constexpr const char* name = "pairwise";
    static constexpr const char* source = "Thakur, Rabenseifner, Gropp 2005";
};

}  // namespace detail

/// In round i = 1 .. p-1 rank r sends its own operand of block r+i to r+i, and combines the operand from r-i with its
/// block. The reverse of allgather::linear, with its window: 0 sends all messages at once, 1 waits for round i-1 before
/// round i.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. Reorders the operands: commutative operations only. Every rank
/// has p blocks of scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005.
struct pairwise {
    rank_t ranks = 1;
    block_layout block = 0;
    step_t window = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::linear, detail::pairwise_label>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::linear{.ranks = ranks, .block = block, .window = window},
                                                element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::linear>(self, f);
    }
    bool operator==(const pairwise&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
