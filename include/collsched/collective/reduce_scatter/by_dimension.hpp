#pragma once

#include "collsched/collective/allgather/by_dimension.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Direct exchange along one dimension of a mesh of ranks after the other, the last one first: a rank sends to the ranks
/// at its place in the other rows the sums of their blocks, and finally to every rank of its row that of its block. The
/// reverse of allgather::by_dimension.
///
/// Rounds: the sum of n-1 over the dimensions, with n ranks or rows in them. Every rank sends p-1 blocks, in as many
/// messages as rounds. It receives p-1 if rows are equal. Reorders the operands: commutative operations only. Every rank
/// has p blocks of scratch.
/// Source: folklore.
struct by_dimension {
    rank_t ranks = 1;
    block_layout block = 0;
    rank_t group = 8;        ///< smallest number of ranks per row, 1 or more; a number above p counts as p
    std::int64_t radix = 8;  ///< rows per plane, 2 or more
    bytes_t element = 1;

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::by_dimension>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(
            allgather::by_dimension{.ranks = ranks, .block = block, .group = group, .radix = radix}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::by_dimension>(self, f);
    }
    bool operator==(const by_dimension&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
