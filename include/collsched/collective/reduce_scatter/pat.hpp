#pragma once

#include "collsched/collective/allgather/pat.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Parallel aggregated trees: the operands of every block are combined up a binomial tree of its own, and A = aggregate
/// congruent edges of a tree share a step. The reverse of allgather::pat.
///
/// Rounds log2 A + min(p, D) - 1 with D = 2^ceil(log2 p) / A; every rank sends and receives p-1 blocks, at most A per
/// message. Reorders the operands: commutative operations only. Every rank has p blocks of scratch.
/// Source: Jeaugey 2025, "PAT"; NCCL.
struct pat {
    rank_t ranks = 1;
    block_layout block = 0;
    rank_t aggregate = 4;
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::pat>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::pat{.ranks = ranks, .block = block, .aggregate = aggregate},
                                                element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::pat>(self, f);
    }
    bool operator==(const pat&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
