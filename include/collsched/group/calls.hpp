#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "collsched/group/collective_call.hpp"
#include "collsched/group/value_reduction.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

template <class Range>
using element_of = typename decltype(std::span(std::declval<Range&>()))::element_type;
template <class Range>
using value_of = std::remove_cv_t<element_of<Range>>;

template <class Range>
concept value_array = requires(Range& range) { std::span(range); } && std::is_trivially_copyable_v<value_of<Range>>;

/// Array of values that a call reads: a span, a vector or an array of trivially copyable values.
template <class Range>
concept readable_values = value_array<Range>;

/// Array of values that a call writes.
template <class Range>
concept writable_values = value_array<Range> && !std::is_const_v<element_of<Range>>;

/// Array that a call writes, of the values of another one.
template <class Range, class In>
concept results_of = writable_values<Range> && std::same_as<value_of<Range>, value_of<In>>;

/// Operation of a reduction: not an array of values.
template <class F>
concept value_operation = !value_array<F>;

using call_size = collective_call::size;

std::span<const std::byte> bytes_of(const auto& values) { return std::as_bytes(std::span(values)); }
std::span<std::byte> writable_bytes_of(auto&& values) { return std::as_writable_bytes(std::span(values)); }
bytes_t size_of(const auto& values) { return std::ssize(bytes_of(values)); }

/// Bytes of a value of an array, and the number of its type.
template <class Range>
inline constexpr bytes_t value_size = static_cast<bytes_t>(sizeof(value_of<Range>));
template <class Range>
inline constexpr std::uint64_t kind_of = value_kind<value_of<Range>>();

/// Input and output of a call whose arrays differ in size.
inline argument_error unequal(std::span<const std::byte> input, std::span<std::byte> output, bytes_t value) {
    if (input.size() == output.size()) return {};
    return {"output", std::ssize(output) / value, "as many values as the input"};
}
/// An operation on values of another size than those of the arrays.
inline argument_error misfit(const reduction& op, bytes_t value) {
    if (op.element == 0 || op.element == value) return {};
    return {"op", op.element, "an operation on values of the size of those of the arrays"};
}
/// A call whose one array is input and output.
template <class Range>
collective_call in_place(collective kind, call_size sizes, rank_t root, Range&& values, const reduction& op = {},
                         const collective_call::value_blocks& blocks = {}) {
    const std::span<std::byte> memory = writable_bytes_of(values);
    return {.collective = kind,
            .binding = binding::in_place,
            .sizes = sizes,
            .root = root,
            .bytes = std::ssize(memory),
            .value = value_size<Range>,
            .blocks = blocks,
            .input = memory,
            .output = memory,
            .op = op,
            .values = kind_of<Range>,
            .wrong = misfit(op, value_size<Range>)};
}

/// A call with two arrays. @param bytes  see collective_call
template <class In, class Out>
collective_call separate(collective kind, call_size sizes, rank_t root, bytes_t bytes, const In& in, Out&& out,
                         const reduction& op = {}, const collective_call::value_blocks& blocks = {},
                         const neighborhood* neighbors = nullptr) {
    return {.collective = kind,
            .sizes = sizes,
            .root = root,
            .bytes = bytes,
            .value = value_size<In>,
            .blocks = blocks,
            .neighbors = neighbors,
            .input = bytes_of(in),
            .output = writable_bytes_of(out),
            .op = op,
            .values = kind_of<In>,
            .wrong = misfit(op, value_size<In>)};
}

/// A reduction from one array to another.
template <class In, class Out, class Operation>
collective_call reduction_of(collective kind, call_size sizes, rank_t root, bytes_t bytes, const In& in, Out&& out,
                             Operation&& op, const collective_call::value_blocks& blocks = {}) {
    return separate(kind, sizes, root, bytes, in, out, value_reduction<value_of<In>>(std::forward<Operation>(op)),
                    blocks);
}
/// A reduction whose one array is input and output.
template <class Values, class Operation>
collective_call reduction_in_place(collective kind, call_size sizes, rank_t root, Values&& values, Operation&& op) {
    return in_place(kind, sizes, root, values, value_reduction<value_of<Values>>(std::forward<Operation>(op)));
}
/// A call with two arrays, of equal sizes at all ranks.
inline collective_call check_equal(collective_call call) {
    if (!call.wrong) call.wrong = unequal(call.input, call.output, call.value);
    return call;
}

}  // namespace detail

/// Calls of collectives from arrays of values: spans, vectors, arrays. The size of a value follows from its type. The
/// functions with one array run in place: it holds the input and receives the result. n is a number of values, p that of
/// ranks. A call refers to the arrays that it was made from.
///
/// `op` is a reduction such as reductions::sum<double>(), an object of reduce_with(), std::plus<>() or another function
/// object of the standard library, or any function object without state; schedules may reorder the operands of those for
/// which is_commutative is true. All ranks of a group call with equal sizes, root, type of the values and operation.
namespace calls {

/// All ranks wait until all have called.
inline collective_call barrier() { return {}; }

/// Copies the values of the root to all ranks. @param values  n values, only read at the root @param root  0 .. p-1
collective_call broadcast(detail::writable_values auto&& values, rank_t root = 0) {
    return detail::in_place(collective::broadcast, detail::call_size::message, root, values);
}

/// Sends block r of the root to rank r.
/// @param in    p * n values at the root; elsewhere not read
/// @param out   n values
/// @param root  0 .. p-1
template <detail::readable_values In, detail::results_of<In> Out>
collective_call scatter(const In& in, Out&& out, rank_t root = 0) {
    return detail::separate(collective::scatter, detail::call_size::block, root, detail::size_of(out), in, out);
}
/// As above, in place. @param values  p * n values at the root, which keeps its block; elsewhere n @param root  0 .. p-1
collective_call scatter(detail::writable_values auto&& values, rank_t root = 0) {
    return detail::in_place(collective::scatter, detail::call_size::root_blocks, root, values);
}
/// Collects a block of each rank at the root.
/// @param in    n values
/// @param out   p * n values at the root; elsewhere not written
/// @param root  0 .. p-1
template <detail::readable_values In, detail::results_of<In> Out>
collective_call gather(const In& in, Out&& out, rank_t root = 0) {
    return detail::separate(collective::gather, detail::call_size::block, root, detail::size_of(in), in, out);
}
/// As above, in place. @param values  p * n values at the root, with its own block; elsewhere n @param root  0 .. p-1
collective_call gather(detail::writable_values auto&& values, rank_t root = 0) {
    return detail::in_place(collective::gather, detail::call_size::root_blocks, root, values);
}
/// Collects a block of each rank at all ranks. @param in  n values @param out  p * n values
template <detail::readable_values In, detail::results_of<In> Out>
collective_call allgather(const In& in, Out&& out) {
    return detail::separate(collective::allgather, detail::call_size::block, 0, detail::size_of(in), in, out);
}
/// As above, in place. @param values  p * n values, of which block r is that of rank r
collective_call allgather(detail::writable_values auto&& values) {
    return detail::in_place(collective::allgather, detail::call_size::all_blocks, 0, values);
}

/// Combines the values of all ranks at the root.
/// @param in    n values
/// @param out   n values at the root; elsewhere not written
/// @param op    operation
/// @param root  0 .. p-1
template <detail::readable_values In, detail::results_of<In> Out, class Operation>
collective_call reduce(const In& in, Out&& out, Operation&& op, rank_t root = 0) {
    return detail::reduction_of(collective::reduce, detail::call_size::message, root, detail::size_of(in), in, out,
                                std::forward<Operation>(op));
}
/// As above, in place. @param values  n values; the result at the root @param op  operation @param root  0 .. p-1
template <detail::writable_values Values, detail::value_operation Operation>
collective_call reduce(Values&& values, Operation&& op, rank_t root = 0) {
    return detail::reduction_in_place(collective::reduce, detail::call_size::message, root, values,
                                      std::forward<Operation>(op));
}

/// Combines the values of all ranks at all ranks. @param in  n values @param out  n values @param op  operation
template <detail::readable_values In, detail::results_of<In> Out, class Operation>
collective_call allreduce(const In& in, Out&& out, Operation&& op) {
    return detail::check_equal(detail::reduction_of(collective::allreduce, detail::call_size::message, 0,
                                                    detail::size_of(in), in, out, std::forward<Operation>(op)));
}
/// As above, in place. @param values  n values @param op  operation
template <detail::writable_values Values, detail::value_operation Operation>
collective_call allreduce(Values&& values, Operation&& op) {
    return detail::reduction_in_place(collective::allreduce, detail::call_size::message, 0, values,
                                      std::forward<Operation>(op));
}
/// Combines the values of ranks 0 .. r at rank r. @param in  n values @param out  n values @param op  operation
template <detail::readable_values In, detail::results_of<In> Out, class Operation>
collective_call scan(const In& in, Out&& out, Operation&& op) {
    return detail::check_equal(detail::reduction_of(collective::scan, detail::call_size::message, 0,
                                                    detail::size_of(in), in, out, std::forward<Operation>(op)));
}
/// As above, in place. @param values  n values @param op  operation
template <detail::writable_values Values, detail::value_operation Operation>
collective_call scan(Values&& values, Operation&& op) {
    return detail::reduction_in_place(collective::scan, detail::call_size::message, 0, values,
                                      std::forward<Operation>(op));
}
/// Combines the values of ranks 0 .. r-1 at rank r; those of rank 0 are not specified.
/// @param in   n values
/// @param out  n values
/// @param op   operation
template <detail::readable_values In, detail::results_of<In> Out, class Operation>
collective_call exscan(const In& in, Out&& out, Operation&& op) {
    return detail::check_equal(detail::reduction_of(collective::exscan, detail::call_size::message, 0,
                                                    detail::size_of(in), in, out, std::forward<Operation>(op)));
}
/// As above, in place. @param values  n values @param op  operation
template <detail::writable_values Values, detail::value_operation Operation>
collective_call exscan(Values&& values, Operation&& op) {
    return detail::reduction_in_place(collective::exscan, detail::call_size::message, 0, values,
                                      std::forward<Operation>(op));
}

/// Combines block r of all ranks at rank r. @param in  p * n values @param out  n values @param op  operation
template <detail::readable_values In, detail::results_of<In> Out, class Operation>
collective_call reduce_scatter(const In& in, Out&& out, Operation&& op) {
    return detail::reduction_of(collective::reduce_scatter, detail::call_size::block, 0, detail::size_of(out), in, out,
                                std::forward<Operation>(op));
}
/// As above, in place. @param values  p * n values; the result in the first n @param op  operation
template <detail::writable_values Values, detail::value_operation Operation>
collective_call reduce_scatter(Values&& values, Operation&& op) {
    return detail::reduction_in_place(collective::reduce_scatter, detail::call_size::all_blocks, 0, values,
                                      std::forward<Operation>(op));
}

/// Sends block r of each rank to rank r. @param in  p * n values @param out  p * n values
template <detail::readable_values In, detail::results_of<In> Out>
collective_call alltoall(const In& in, Out&& out) {
    return detail::check_equal(
        detail::separate(collective::alltoall, detail::call_size::all_blocks, 0, detail::size_of(in), in, out));
}
/// As above, in place. @param values  p * n values
collective_call alltoall(detail::writable_values auto&& values) {
    return detail::in_place(collective::alltoall, detail::call_size::all_blocks, 0, values);
}

/// Sends the values of a rank to all its targets.
/// @param in         n values
/// @param out        n values of each source, in the order of the rank's sources
/// @param neighbors  graph, equal on all ranks, which outlives the call
template <detail::readable_values In, detail::results_of<In> Out>
collective_call neighbor_allgather(const In& in, Out&& out, const neighborhood& neighbors) {
    return detail::separate(collective::neighbor_allgather, detail::call_size::block, 0, detail::size_of(in), in, out,
                            reduction(), collective_call::value_blocks(), &neighbors);
}
/// Sends a block to each target.
/// @param in         n values for each target, in the order of the rank's targets
/// @param out        n values of each source, in the order of the rank's sources
/// @param neighbors  graph, equal on all ranks, which outlives the call
template <detail::readable_values In, detail::results_of<In> Out>
collective_call neighbor_alltoall(const In& in, Out&& out, const neighborhood& neighbors) {
    return detail::separate(collective::neighbor_alltoall, detail::call_size::all_blocks, 0, detail::size_of(in), in,
                            out, reduction(), collective_call::value_blocks(), &neighbors);
}

/// Sends blocks of different sizes of the root.
/// @param in      at the root all blocks; elsewhere not read
/// @param out     the rank's block
/// @param blocks  of the ranks, equal on all of them
/// @param root    0 .. p-1
template <detail::readable_values In, detail::results_of<In> Out>
collective_call scatterv(const In& in, Out&& out, const collective_call::value_blocks& blocks, rank_t root = 0) {
    return detail::separate(collective::scatter, detail::call_size::counts, root, 0, in, out, reduction(), blocks);
}
/// Collects blocks of different sizes at the root.
/// @param in      the rank's block
/// @param out     at the root all blocks; elsewhere not written
/// @param blocks  of the ranks, equal on all of them
/// @param root    0 .. p-1
template <detail::readable_values In, detail::results_of<In> Out>
collective_call gatherv(const In& in, Out&& out, const collective_call::value_blocks& blocks, rank_t root = 0) {
    return detail::separate(collective::gather, detail::call_size::counts, root, 0, in, out, reduction(), blocks);
}
/// Collects blocks of different sizes at all ranks.
/// @param in      the rank's block
/// @param out     all blocks
/// @param blocks  of the ranks, equal on all of them
template <detail::readable_values In, detail::results_of<In> Out>
collective_call allgatherv(const In& in, Out&& out, const collective_call::value_blocks& blocks) {
    return detail::separate(collective::allgather, detail::call_size::counts, 0, 0, in, out, reduction(), blocks);
}
/// As above, in place. @param values  all blocks @param blocks  of the ranks
collective_call allgatherv(detail::writable_values auto&& values, const collective_call::value_blocks& blocks) {
    return detail::in_place(collective::allgather, detail::call_size::counts, 0, values, {}, blocks);
}
/// Combines blocks of different sizes: block r of all ranks at rank r.
/// @param in      all blocks
/// @param out     the rank's block
/// @param blocks  of the ranks, equal on all of them
/// @param op      operation
template <detail::readable_values In, detail::results_of<In> Out, class Operation>
collective_call reduce_scatterv(const In& in, Out&& out, const collective_call::value_blocks& blocks, Operation&& op) {
    return detail::reduction_of(collective::reduce_scatter, detail::call_size::counts, 0, 0, in, out,
                                std::forward<Operation>(op), blocks);
}
/// Sends blocks of different sizes. Each rank gives its own blocks alone: what it sends to rank r is what r receives
/// from it.
/// @param in        blocks for all ranks
/// @param blocks    those that this rank sends
/// @param out       blocks of all ranks
/// @param received  those that this rank receives
template <detail::readable_values In, detail::results_of<In> Out>
collective_call alltoallv(const In& in, const collective_call::value_blocks& blocks, Out&& out,
                          const collective_call::value_blocks& received) {
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
collective_call neighbor_allgatherv(const In& in, Out&& out, const collective_call::value_blocks& blocks,
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
collective_call neighbor_alltoallv(const In& in, Out&& out, const collective_call::value_blocks& blocks,
                                   const neighborhood& neighbors) {
    return detail::separate(collective::neighbor_alltoall, detail::call_size::counts, 0, 0, in, out, reduction(),
                            blocks, &neighbors);
}

}  // namespace calls

}}  // namespace collsched::COLLSCHED_ABI
