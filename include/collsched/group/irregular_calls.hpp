#pragma once

#include <utility>

#include "collsched/group/calls.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace calls {

/// Sends blocks of different sizes of the root.
/// @param in      at the root all blocks; elsewhere not read
/// @param out     the rank's block
/// @param blocks  of the ranks, equal on all of them
/// @param root    0 .. p-1
template <detail::readable_values In, detail::results_of<In> Out>
collective_call scatterv(const In& in, Out&& out, const value_blocks& blocks, rank_t root = 0) {
    return detail::separate(collective::scatter, detail::call_size::counts, root, 0, in, out, reduction(), blocks);
}
/// Collects blocks of different sizes at the root.
/// @param in      the rank's block
/// @param out     at the root all blocks; elsewhere not written
/// @param blocks  of the ranks, equal on all of them
/// @param root    0 .. p-1
template <detail::readable_values In, detail::results_of<In> Out>
collective_call gatherv(const In& in, Out&& out, const value_blocks& blocks, rank_t root = 0) {
    return detail::separate(collective::gather, detail::call_size::counts, root, 0, in, out, reduction(), blocks);
}
/// Collects blocks of different sizes at all ranks.
/// @param in      the rank's block
/// @param out     all blocks
/// @param blocks  of the ranks, equal on all of them
template <detail::readable_values In, detail::results_of<In> Out>
collective_call allgatherv(const In& in, Out&& out, const value_blocks& blocks) {
    return detail::separate(collective::allgather, detail::call_size::counts, 0, 0, in, out, reduction(), blocks);
}
/// As above, in place. @param values  all blocks @param blocks  of the ranks
template <detail::writable_values Values>
collective_call allgatherv(Values&& values, const value_blocks& blocks) {
    return detail::in_place(collective::allgather, detail::call_size::counts, 0, values, {}, blocks);
}
/// Combines blocks of different sizes: block r of all ranks at rank r.
/// @param in      all blocks
/// @param out     the rank's block
/// @param blocks  of the ranks, equal on all of them
/// @param op      operation
template <detail::readable_values In, detail::results_of<In> Out, class Operation>
collective_call reduce_scatterv(const In& in, Out&& out, const value_blocks& blocks, Operation&& op) {
    return detail::separate(collective::reduce_scatter, detail::call_size::counts, 0, 0, in, out,
                            detail::value_reduction<detail::value_of<In>>(std::forward<Operation>(op)), blocks);
}
/// Sends blocks of different sizes. Each rank gives its own blocks alone: what it sends to rank r is what r receives
/// from it.
/// @param in        blocks for all ranks
/// @param blocks    those that this rank sends
/// @param out       blocks of all ranks
/// @param received  those that this rank receives
template <detail::readable_values In, detail::results_of<In> Out>
collective_call alltoallv(const In& in, const value_blocks& blocks, Out&& out, const value_blocks& received) {
    return {.collective = collective::alltoall,
            .sizes = detail::call_size::own_counts,
            .value = detail::value_size<In>,
            .blocks = blocks,
            .received = received,
            .input = detail::bytes_of(in),
            .output = detail::writable_bytes_of(out),
            .values = detail::kind_of<In>};
}
/// Sends the values of a rank to all its targets; ranks have different numbers of values.
/// @param in         the rank's values
/// @param out        those of its sources, in their order
/// @param blocks     of the ranks, equal on all of them
/// @param neighbors  graph, equal on all ranks, which outlives the call
template <detail::readable_values In, detail::results_of<In> Out>
collective_call neighbor_allgatherv(const In& in, Out&& out, const value_blocks& blocks,
                                    const neighborhood& neighbors) {
    return detail::separate(collective::neighbor_allgather, detail::call_size::counts, 0, 0, in, out, reduction(),
                            blocks, &neighbors);
}
/// Sends blocks of different sizes to targets.
/// @param in         a block for each target, in their order
/// @param out        the blocks of the sources, in their order
/// @param blocks     for all targets of all ranks, those of rank 0 first; equal on all ranks
/// @param neighbors  graph, equal on all ranks, which outlives the call
template <detail::readable_values In, detail::results_of<In> Out>
collective_call neighbor_alltoallv(const In& in, Out&& out, const value_blocks& blocks, const neighborhood& neighbors) {
    return detail::separate(collective::neighbor_alltoall, detail::call_size::counts, 0, 0, in, out, reduction(),
                            blocks, &neighbors);
}

}}}  // namespace collsched::COLLSCHED_ABI::calls
