#pragma once

#include "collsched/collective/allgather/locality_bruck.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// The ranks of a region of R = group neighbours first combine among themselves what other regions are to get, then
/// each of them but one sends sums to regions of its own. allgather::locality_bruck backwards.
///
/// Rounds, for p > 1, ceil(log_R p) * (ceil(log2 R) + 1) - 1, of which ceil(log_R p) - 1 go between regions. Every
/// rank sends p-1 blocks, at most one message a step; a region gives away and takes in p-R blocks, as few as may be.
/// R divides p; a region of more than p is one of p. Operands come together in any order: commutative operations
/// only. Every rank has p blocks of scratch.
/// Source: Bienz, Gautam, Kharel 2022, for the allgather.
using locality_bruck = reversed<allgather::locality_bruck>;

}  // namespace collsched::inline v0_1::reduce_scatter
