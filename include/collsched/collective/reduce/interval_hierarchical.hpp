#pragma once

#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/collective/on_aligned_nodes.hpp"
#include "collsched/collective/reduce/hierarchical.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// reduce::interval_tree to the leader of every node, then among the leaders, of which the root is one. For every root
/// the result is the canonical tree of all ranks: for n ranks (the first ceil(n/2)) op (the others), recursively. Rejects
/// placements that are not aligned: see check_aligned.
using interval_hierarchical = on_aligned_nodes<hierarchical<broadcast::interval_tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce
