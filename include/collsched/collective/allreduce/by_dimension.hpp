#pragma once

#include "collsched/collective/allgather/by_dimension.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct by_dimension_label {
    static constexpr const char* rounds = "twice the sum of n-1 over the dimensions";
};

}  // namespace detail

/// reduce_scatter::by_dimension, then allgather::by_dimension.
///
/// Rounds: twice the sum of n-1 over the dimensions, with n ranks or rows in them. If rows are equal, 2 m (p-1)/p bytes
/// are sent and received per rank, up to one element per part. No scratch. Commutative operations only.
/// Source: folklore.
using by_dimension = by_reversal<allgather::by_dimension, detail::by_dimension_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
