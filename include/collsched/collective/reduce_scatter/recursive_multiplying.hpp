#pragma once

#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// Groups of k = radix ranks exchange what they still have, each getting the part of its side: recursive halving in k
/// parts. allgather::recursive_multiplying backwards; where p is no power of k, guests hand a host all their operands
/// first, and get their block from it last.
///
/// Rounds log_k p, or floor(log_k p) + 2, with at most k-1 messages a rank in each. Every rank sends p-1 blocks; it
/// receives p-1, or less than (2k-1)(p-1) where p is no power of k. Operands come together in any order: commutative
/// operations only. Every rank has p blocks of scratch.
/// Source: Ruefenacht, Bull, Booth 2017.
using recursive_multiplying = reversed<allgather::recursive_multiplying>;

}  // namespace collsched::inline v0_1::reduce_scatter
