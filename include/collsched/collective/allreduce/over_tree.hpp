#pragma once

#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// Reduce up a tree to rank 0, then broadcast down it. Segments are pipelined in both directions, and the broadcast of
/// a segment begins as soon as it is reduced. Each of the double binary trees carries half of the segments.
///
/// Rounds and messages are twice those of broadcast::over_tree. In a single tree a rank sends and receives at most
/// (children + 1) m bytes. No scratch. Keeps the order of operands over trees in order: binomial, chain, in-order
/// binary.
template <class Tree>
using over_tree = by_reversal<broadcast::over_tree<Tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
