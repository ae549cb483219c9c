#pragma once

#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// Over the skips s_q = p, s_k = ceil(s_{k+1} / 2) rank r sends, for k = q-1 .. 0, the partial sums of the blocks r + s_k
/// .. r + s_{k+1} - 1 to r + s_k. allgather::circulant backwards.
///
/// Rounds q = ceil(log2 p) for every p; every rank sends and receives p-1 blocks, in q messages: no reduce_scatter needs
/// less of either. Operands come together in any order: commutative operations only. Every rank has p blocks of scratch.
/// Source: Traeff 2024.
using circulant = reversed<allgather::circulant>;

}  // namespace collsched::inline v0_1::reduce_scatter
