#pragma once

#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/collective/on_aligned_nodes.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// A reduce on every node to its leader, then a reduce among the leaders, of which the root is one: the reverse of
/// broadcast::hierarchical, with combination. Keeps the order of operands if every node hosts consecutive
/// ranks, and both parts keep it; over trees for root 0 only. Inner and Outer are broadcasts.
///
/// Rounds are those of the broadcast. Every rank but the root sends m bytes once, and has m bytes of scratch.
/// Source: Karonis et al. 2000, for the broadcast.
template <described Inner = broadcast::over_tree<trees::binomial>, described Outer = Inner>
using hierarchical = broadcast::detail::message_in_levels<collective::reduce, Inner, Outer>;

/// reduce::interval_tree to the leader of every node, then among the leaders, of which the root is one. For every root
/// the result is the canonical tree of all ranks: for n ranks (the first ceil(n/2)) op (the others), recursively. Rejects
/// placements that are not aligned: see check_aligned.
using interval_hierarchical = collsched::detail::on_aligned_nodes<hierarchical<broadcast::interval_tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce
