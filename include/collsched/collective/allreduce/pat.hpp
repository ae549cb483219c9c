#pragma once

#include "collsched/collective/allgather/pat.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// reduce_scatter::pat, then allgather::pat, with at most `aggregate` parts of the message per message. Rounds twice
/// those of allgather::pat; 2 m (p-1)/p bytes sent and received per rank, up to one element per part. No scratch.
/// Commutative operations only. Source: Jeaugey 2025, "PAT".
using pat = by_reversal<allgather::pat>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
