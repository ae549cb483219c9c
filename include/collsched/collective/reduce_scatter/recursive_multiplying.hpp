#pragma once

#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Groups of k = radix ranks exchange their remaining blocks, each rank receiving the part of its side: recursive
/// halving in k parts. The reverse of allgather::recursive_multiplying. If p is no power of k, guests first send a host
/// all their operands, and finally receive their block from it.
///
/// Rounds log_k p, or floor(log_k p) + 2, with at most k-1 messages per rank in each. Every rank sends p-1 blocks. It
/// receives p-1, or less than (2k-1)(p-1) if p is no power of k. Reorders the operands: commutative operations only.
/// Every rank has p blocks of scratch.
/// Source: Ruefenacht, Bull, Booth 2017.
struct recursive_multiplying {
    rank_t ranks = 1;
    block_layout block = 0;
    std::int64_t radix = 3;
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::recursive_multiplying>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(
            allgather::recursive_multiplying{.ranks = ranks, .block = block, .radix = radix}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::recursive_multiplying>(self, f);
    }
    bool operator==(const recursive_multiplying&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
