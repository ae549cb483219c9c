#pragma once

#include "collsched/collective/allgather/interval_halving.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Halves of the intervals of the canonical tree (rank_interval) exchange operands, the smallest intervals first: the
/// reverse of allgather::interval_halving. The result of every block is the canonical tree: for n ranks (the first
/// ceil(n/2)) op (the others), recursively.
///
/// Rounds ceil(log2 p) for every p. Every rank sends p-1 blocks. It receives p-1 if p is a power of two, else at most
/// 3/2 (p-1), with at most two messages per rank in each round. Keeps the order of operands. Every rank has p blocks of
/// scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005 for powers of two.
struct interval_halving {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = [] {
        algorithm_info result = collsched::detail::reversed_info<allgather::interval_halving>;
        result.commutative = false;
        return result;
    }();

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::interval_halving{.ranks = ranks, .block = block}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::interval_halving>(self, f);
    }
    bool operator==(const interval_halving&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
