#pragma once

#include "collsched/collective/allgather/bine.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// reduce_scatter::bine, then allgather::bine. Rounds 2 ceil(log2 p); 2 m (p-1)/p bytes sent and received per rank, up
/// to one element per part; p even. No scratch. Commutative operations only. Source: De Sensi et al. 2025, "Bine
/// trees".
using bine = by_reversal<allgather::bine>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
