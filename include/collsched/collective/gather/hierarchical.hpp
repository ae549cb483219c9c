#pragma once

#include "collsched/collective/scatter/hierarchical.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::gather {

/// First on every computer to its leader, then the blocks of every other computer, in one message, to the root:
/// scatter::hierarchical backwards. Any placement, computers with different numbers of ranks, any layout of blocks, any
/// root.
///
/// Rounds, bytes and scratch are those of the scatter.
template <described Inner = scatter::over_tree<trees::binomial>, described Outer = Inner>
using hierarchical = reversed<scatter::hierarchical<Inner, Outer>>;

}  // namespace collsched::inline v0_1::gather
