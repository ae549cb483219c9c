#pragma once

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce_scatter {

/// See ring.
struct ring_label {
    static constexpr const char* source = "Patarasuk, Yuan 2009";
};

/// The partial sum of every block travels once around the ring: in round i = 1 .. p-1 rank r sends that of block r+i to
/// r-1. allgather::ring backwards.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. Operands come together in any order: commutative operations
/// only. Every rank has p blocks of scratch.
/// Source: Patarasuk, Yuan 2009.
using ring = reversed<allgather::ring, ring_label>;

}  // namespace collsched::inline v0_1::reduce_scatter
