#pragma once

#include "collsched/collective/allgather/pat.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// Parallel aggregated trees: the operands of every block go up a binomial tree of its own, A = aggregate alike edges of
/// a tree together. allgather::pat backwards.
///
/// Rounds log2 A + min(p, D) - 1 with D = 2^ceil(log2 p) / A; every rank sends and receives p-1 blocks, at most A in a
/// message. Operands come together in any order: commutative operations only. Every rank has p blocks of scratch.
/// Source: Jeaugey 2025, "PAT"; NCCL.
using pat = reversed<allgather::pat>;

}  // namespace collsched::inline v0_1::reduce_scatter
