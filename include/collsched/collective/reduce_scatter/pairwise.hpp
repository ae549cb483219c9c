#pragma once

#include "collsched/collective/allgather/linear.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// See pairwise.
struct pairwise_label {
    static constexpr const char* name = "pairwise";
    static constexpr const char* source = "Thakur, Rabenseifner, Gropp 2005";
};

/// In round i = 1 .. p-1 rank r sends its own operand of block r+i to r+i, and adds that of r-i to its block.
/// allgather::linear backwards, with its window: 0 sends all at once, 1 waits for round i-1 before round i.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. Operands come together in any order: commutative operations
/// only. Every rank has p blocks of scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005.
using pairwise = reversed<allgather::linear, pairwise_label>;

}  // namespace collsched::inline v0_1::reduce_scatter
