#pragma once

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct ring_label {
    static constexpr const char* rounds = "2(p-1)";
    static constexpr const char* source = "Patarasuk, Yuan 2009";
};

}  // namespace detail

/// The partial sums of p parts of the message are passed once around the ring, then the results.
///
/// Rounds 2(p-1); every rank sends and receives 2 m (p-1)/p bytes, the minimum. No scratch. Commutative operations
/// only.
/// Source: Patarasuk, Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of workstations".
using ring = by_reversal<allgather::ring, detail::ring_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
