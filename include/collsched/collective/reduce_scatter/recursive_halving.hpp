#pragma once

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// See recursive_halving.
struct recursive_halving_label {
    static constexpr const char* name = "recursive-halving";
};

/// Ranks at distance p/2, p/4, ..., 1 exchange the half of what they still have that belongs to the other's side.
/// allgather::recursive_doubling backwards; where p is no power of two, 2j+1 hands 2j all its operands first, and gets
/// its block from 2j last.
///
/// Rounds log2 p, or floor(log2 p) + 2. Every rank sends p-1 blocks; it receives p-1, or less than 3(p-1) where p is no
/// power of two. Operands come together in any order: commutative operations only. Every rank has p blocks of scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005.
using recursive_halving = reversed<allgather::recursive_doubling, recursive_halving_label>;

}  // namespace collsched::inline v0_1::reduce_scatter
