#pragma once

#include "collsched/collective/allgather/circulant_blocks.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// Every rank's block is reduced to it in pieces, all at once, over a circulant graph: allgather::circulant_blocks
/// backwards, combining. Operands come together in any order: commutative operations only.
///
/// Rounds S-1+ceil(log2 p), where the largest block is cut in S pieces of at most `segment` bytes (0: one), for every
/// p. Every rank sends every other block once, in messages of at most m/S + p * element bytes, m those of all blocks.
/// Every rank has m bytes of scratch.
/// Source: Traeff 2024.
using circulant_blocks = reversed<allgather::circulant_blocks>;

}  // namespace collsched::inline v0_1::reduce_scatter
