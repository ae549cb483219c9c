#pragma once

#include "collsched/collective/allgather/by_dimension.hpp"
#include "collsched/collective/allreduce/allgather_reduce.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct allgather_reduce_by_dimension_label {
    static constexpr const char* name = "allgather-reduce-by-dimension";
};

}  // namespace detail

/// allgather::by_dimension of all messages into scratch, after which every rank combines them itself.
///
/// Rounds: the sum of n-1 over the dimensions, with n ranks or rows in them. If rows are equal, (p-1) m bytes are sent
/// and received per rank. p m bytes of scratch, and (p-1) m bytes combined per rank. Keeps the order of operands, with
/// the same bits on all ranks. Suits short messages.
/// Source: folklore.
using allgather_reduce_by_dimension =
    allgather_reduce<allgather::by_dimension, detail::allgather_reduce_by_dimension_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
