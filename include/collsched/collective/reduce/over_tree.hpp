#pragma once

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce {

/// Reduce up a tree: broadcast::over_tree backwards, combining; segments are pieces of the pipeline as there. Keeps the order
/// of operands where the root is 0 and the tree is in order (binomial, chain, in-order binary), otherwise reorders them.
///
/// Rounds and messages are those of the broadcast; every rank but the root sends all bytes once, and has as much scratch.
template <class Tree>
using over_tree = reversed<broadcast::over_tree<Tree>>;

}  // namespace collsched::inline v0_1::reduce
