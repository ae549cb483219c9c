#pragma once

#include "collsched/collective/allgather/bine.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// At level s = q-1, ..., 1, 0, q = ceil(log2 p), a rank sends its allgather::swing_peer all but 2^s of the blocks that it
/// still has, those on the peer's side: they follow each other cyclically. allgather::bine backwards.
///
/// Rounds ceil(log2 p), p even (or 1); every rank sends and receives p-1 blocks. Operands come together in any order:
/// commutative operations only. Every rank has p blocks of scratch.
/// Source: De Sensi et al. 2025, "Bine trees".
using bine = reversed<allgather::bine>;

}  // namespace collsched::inline v0_1::reduce_scatter
