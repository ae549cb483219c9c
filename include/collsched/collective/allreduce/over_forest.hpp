#pragma once

#include "collsched/collective/allgather/over_forest.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// Allreduce over the trees of a forest: reduce_scatter::over_forest of p parts of the message, then
/// allgather::over_forest of the results.
///
/// Rounds and messages are twice those of the allgather. Every rank sends, and receives, the sum of the bytes that it
/// sends and receives in the allgather. No scratch. Commutative operations only. `of` has the members segment, window
/// and forest. The forest has to suit the network in both directions of its links.
/// Source: Zhao et al. 2024.
using over_forest = by_reversal<allgather::over_forest>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
