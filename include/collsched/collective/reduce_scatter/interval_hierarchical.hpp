#pragma once

#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/collective/on_aligned_nodes.hpp"
#include "collsched/collective/reduce_scatter/hierarchical.hpp"
#include "collsched/collective/reduce_scatter/interval_halving.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// reduce::interval_tree of all blocks to the leader of every node, reduce_scatter::interval_halving of the nodes' blocks
/// among the leaders, and a binomial scatter on every node. Every element of the result is the canonical tree of all
/// ranks: for n ranks (the first ceil(n/2)) op (the others), recursively. Rejects placements that are not aligned: see
/// check_aligned.
using interval_hierarchical = on_aligned_nodes<hierarchical<interval_halving, broadcast::interval_tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
