#pragma once

#include "collsched/collective/allgather/sparbit.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// Binomial trees to every rank at once, the near edges first: with d = 1, 2, 4, ... rank r sends the partial sums of the
/// blocks r - d, r - 3d, r - 5d, ... that are less than p away to r - d. allgather::sparbit backwards.
///
/// Rounds ceil(log2 p) for every p; every rank sends and receives p-1 blocks, in ceil(log2 p) messages. Operands come
/// together in any order: commutative operations only. Every rank has p blocks of scratch.
/// Source of the allgather: Loch, Koslovski 2021.
using sparbit = reversed<allgather::sparbit>;

}  // namespace collsched::inline v0_1::reduce_scatter
