#pragma once

#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// Reduce up a tree to rank 0, then broadcast down it; segments follow one another both ways, and a segment turns round
/// as soon as it is reduced. Over the double binary trees each half of the segments takes one of them.
///
/// Rounds and messages are twice those of broadcast::over_tree; of a single tree a rank sends and receives at most
/// (children + 1) m bytes. Operands keep their order over trees in order: binomial, chain, in-order binary.
template <class Tree>
using over_tree = by_reversal<broadcast::over_tree<Tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
