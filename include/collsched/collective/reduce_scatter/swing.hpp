#pragma once

#include "collsched/collective/allgather/swing.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// Ranks exchange half of what they still have with allgather::swing_peer at level 0, 1, 2, ...: neighbours first, with
/// the longest messages. allgather::swing backwards.
///
/// Rounds log2 p, p a power of two; every rank sends and receives p-1 blocks. Operands come together in any order:
/// commutative operations only. Every rank has p blocks of scratch.
/// Source: De Sensi et al. 2024, "Swing".
using swing = reversed<allgather::swing>;

}  // namespace collsched::inline v0_1::reduce_scatter
