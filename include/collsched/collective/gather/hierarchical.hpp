#pragma once

#include "collsched/collective/scatter/hierarchical.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace gather {

/// A gather on every node to its leader, then the blocks of every other node, in one message, to the root: the reverse
/// of scatter::hierarchical. Supports any placement, nodes with different numbers of ranks, any layout of blocks, and
/// any root. Inner and Outer are scatters.
///
/// Rounds, bytes and scratch are those of the scatter.
template <described Inner = scatter::over_tree<trees::binomial>, described Outer = Inner>
using hierarchical = scatter::detail::blocks_in_levels<collective::gather, Inner, Outer>;

}}}  // namespace collsched::COLLSCHED_ABI::gather
