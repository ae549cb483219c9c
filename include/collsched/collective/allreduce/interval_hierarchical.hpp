#pragma once

#include "collsched/collective/allreduce/hierarchical.hpp"
#include "collsched/collective/allreduce/interval_doubling.hpp"
#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/collective/on_aligned_nodes.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// reduce::interval_tree to the leader of every node, allreduce::interval_doubling among the leaders, and
/// broadcast::interval_tree on every node. Every element of the result is the canonical tree of all ranks: for n ranks
/// (the first ceil(n/2)) op (the others), recursively. Rejects placements that are not aligned: see check_aligned.
using interval_hierarchical = on_aligned_nodes<hierarchical<interval_doubling, broadcast::interval_tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
