#pragma once

#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct circulant_label {
    static constexpr const char* rounds = "2 ceil(log2 p)";
};

}  // namespace detail

/// reduce_scatter::circulant, then allgather::circulant.
///
/// Rounds 2 ceil(log2 p), and 2 m (p-1)/p bytes sent and received by every rank, for every p. The number of bytes is
/// minimal, and so is the number of rounds for that number of bytes. No scratch. Commutative operations only.
/// Source: Traeff 2024, "Optimal, non-pipelined reduce-scatter and allreduce algorithms".
using circulant = by_reversal<allgather::circulant, detail::circulant_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
