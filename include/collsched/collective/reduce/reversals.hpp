#pragma once

#include "collsched/collective/broadcast/circulant.hpp"
#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// Reduce in pieces of at most `segment` bytes (0: in one piece) over a circulant graph: the reverse of
/// broadcast::circulant, with combination. Reorders the operands: commutative operations only.
///
/// Rounds S-1+ceil(log2 p) for S = ceil(bytes / segment) pieces, for every p. Every rank but the root sends all bytes
/// once, and has as much scratch.
/// Source: Traeff 2024.
using circulant = reversed<broadcast::circulant>;

/// Reduce up the canonical tree of rank intervals (rank_interval): the reverse of broadcast::interval_tree. For every
/// root the result is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rounds ceil(log2 p). Every rank but the root sends m bytes once, and has m bytes of scratch. Keeps the order of
/// operands.
/// Source: Thakur, Rabenseifner, Gropp 2005 for powers of two.
using interval_tree = reversed<broadcast::interval_tree>;

/// Reduce up a tree: the reverse of broadcast::over_tree, with combination and with the same segments. Keeps the order
/// of operands if the root is 0 and the tree is in order (binomial, chain, in-order binary); otherwise reorders them.
///
/// Rounds and messages are those of the broadcast. Every rank but the root sends all bytes once, and has as much
/// scratch. The source is that of the tree.
template <class Tree>
using over_tree = reversed<broadcast::over_tree<Tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce
