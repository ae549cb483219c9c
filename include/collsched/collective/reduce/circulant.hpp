#pragma once

#include "collsched/collective/broadcast/circulant.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce {

/// Reduce in pieces of at most `segment` bytes (0: in one piece) over a circulant graph: broadcast::circulant
/// backwards, combining. Operands come together in any order: commutative operations only.
///
/// Rounds S-1+ceil(log2 p) for S = ceil(bytes / segment) pieces, for every p. Every rank but the root sends all bytes
/// once, and has as much scratch.
/// Source: Traeff 2024.
using circulant = reversed<broadcast::circulant>;

}  // namespace collsched::inline v0_1::reduce
