#pragma once

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/combine/relabel.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the schedule of an algorithm for a shape, in which rank shape::numbering.rank(v) does what rank v does in the
/// algorithm. Root, blocks, matrix and placement of the shape are those of the ranks of the result.
///
/// Without a numbering the result is entry.make(original). A reduction with a numbering reorders its operands.
/// Complexity: that of entry.make(), and O(ranks), or O(ranks^2 log ranks) for a matrix.
/// @param entry     an algorithm. With a numbering it takes none of the parameters neighbors, cluster, forest, transfers and
///                  order, which have ranks of their own
/// @param original  values of its parameters, and the numbering
/// @return a schedule. check() fails where the numbering is no permutation of the ranks, and for a scan or exscan with a
///         numbering.
inline any_schedule make_numbered(const algorithm_entry& entry, const shape& original) {
    const permutation& order = original.numbering;
    if (order == permutation()) return entry.make(original);
    shape relabeled = original;
    if (!order.check(original.ranks)) {
        if (original.root >= 0 && original.root < original.ranks) relabeled.root = order.virtual_rank(original.root);
        if (!original.block.check(original.ranks)) relabeled.block = permuted(original.block, original.ranks, order);
        if (!original.matrix.check(original.ranks) && original.matrix.irregular())
            relabeled.matrix = permuted(original.matrix, original.ranks, order);
        if (original.placement.ranks() == original.ranks) {
            owned_array<rank_t> nodes(original.ranks);
            for (rank_t v = 0; v < original.ranks; ++v) nodes[v] = original.placement.node(order.rank(v));
            relabeled.placement = topology::placement::list(nodes, original.placement.nodes());
        }
    }
    return any_schedule(relabel(entry.make(relabeled), order));
}

}}  // namespace collsched::COLLSCHED_ABI
