#pragma once

#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct k_reduce_scatter_allgather_label {
    static constexpr const char* name = "k-reduce-scatter-allgather";
    static constexpr const char* rounds = "2 log_k p; 2 floor(log_k p) + 4 where p is no power of k";
};

}  // namespace detail

/// reduce_scatter::recursive_multiplying, then allgather::recursive_multiplying, with groups of k = radix ranks.
///
/// Rounds 2 log_k p, or 2 floor(log_k p) + 4, with up to k-1 messages per rank; 2 m (p-1)/p bytes sent and received per
/// rank if p is a power of k, less than 2 k m otherwise, up to one element per part. No scratch. Commutative operations
/// only. Source: MPICH's recursive exchange.
using k_reduce_scatter_allgather =
    by_reversal<allgather::recursive_multiplying, detail::k_reduce_scatter_allgather_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
