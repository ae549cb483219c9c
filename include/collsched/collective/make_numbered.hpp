#pragma once

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/combine/relabel.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the schedule of an algorithm for a shape, in which rank shape::numbering.rank(v) does what rank v does in the
/// algorithm. Root, blocks, matrix and placement of the shape are those of the ranks of the result.
///
/// Without a numbering the result is entry.make(given). A reduction with a numbering reorders its operands.
/// Complexity: that of entry.make(), and O(ranks), or O(ranks^2 log ranks) for a matrix.
/// @param entry  an algorithm. With a numbering it takes none of the parameters neighbors, cluster, forest, transfers and
///               order, which have ranks of their own
/// @param given  values of its parameters, and the numbering
/// @return a schedule. check() fails where the numbering is no permutation of the ranks, and for a scan or exscan with a
///         numbering.
inline any_schedule make_numbered(const algorithm_entry& entry, const shape& given) {
    const permutation& order = given.numbering;
    if (order == permutation()) return entry.make(given);
    shape made = given;
    if (!order.check(given.ranks)) {
        if (given.root >= 0 && given.root < given.ranks) made.root = order.virtual_rank(given.root);
        if (!given.block.check(given.ranks)) made.block = permuted(given.block, given.ranks, order);
        if (!given.matrix.check(given.ranks) && given.matrix.irregular())
            made.matrix = permuted(given.matrix, given.ranks, order);
        if (given.placement.ranks() == given.ranks) {
            owned_array<rank_t> nodes(given.ranks);
            for (rank_t v = 0; v < given.ranks; ++v) nodes[v] = given.placement.node(order.rank(v));
            made.placement = topology::placement::list(nodes, given.placement.nodes());
        }
    }
    return any_schedule(relabel(entry.make(made), order));
}

}}  // namespace collsched::COLLSCHED_ABI
