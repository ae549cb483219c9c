#pragma once

#include "collsched/collective/allgather/k_ring.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// Rings within groups of k = group neighbours, and a ring of the groups. allgather::k_ring backwards: partial sums cross
/// from group to group over all ranks of a group alike.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. k divides p, or is more. Operands come together in any order:
/// commutative operations only. Every rank has p blocks of scratch.
/// Source of the allgather: Wilkins et al. 2023.
using k_ring = reversed<allgather::k_ring>;

}  // namespace collsched::inline v0_1::reduce_scatter
