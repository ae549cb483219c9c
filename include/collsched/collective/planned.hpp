#pragma once

#include "collsched/collective/allgather/over_trees.hpp"
#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/in_preorder.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/tree/plan_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace allgather {

/// Allgather through a root over the trees of a planner for a cluster: a gather tree planned for messages of the mean
/// block size, then a broadcast tree planned for all blocks together. Rounds, bytes and scratch are those of over_trees
/// with root_receive::instant.
template <planner Planner>
struct planned {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    lob_model cluster{};

    static constexpr algorithm_info info = collsched::detail::planned_info<Planner>(collective::allgather);

    constexpr auto view() const {
        const bytes_t all = ranks > 0 && !block.check(ranks) ? block.prefix(ranks) : 0;
        return over_trees<gather::root_receive::instant>(
            ranks, root, block,
            plan_tree<Planner>(tree_plan::direction::many_to_one, cluster, ranks, root,
                               collsched::detail::mean_block(block, ranks)),
            plan_tree<Planner>(tree_plan::direction::one_to_many, cluster, ranks, root, all));
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("cluster", self.cluster);
    }
    bool operator==(const planned&) const = default;
};

}  // namespace allgather

namespace barrier {

/// Barrier over the trees of a planner for a cluster: one for signals to the root, and one for signals from it. Rounds
/// depend on the plans; 2 (p-1) signals.
template <planner Planner>
struct planned {
    rank_t ranks = 1;
    rank_t root = 0;
    lob_model cluster{};

    static constexpr algorithm_info info = collsched::detail::planned_info<Planner>(collective::barrier);

    constexpr auto view() const {
        return over_trees(ranks, root, plan_tree<Planner>(tree_plan::direction::many_to_one, cluster, ranks, root, 0),
                          plan_tree<Planner>(tree_plan::direction::one_to_many, cluster, ranks, root, 0));
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("cluster", self.cluster);
    }
    bool operator==(const planned&) const = default;
};

}  // namespace barrier

namespace broadcast {

/// Broadcast down the tree of a planner for a cluster, planned for messages of one segment: over_tree with that tree.
///
/// Every rank but the root receives all bytes once. No scratch. Rounds depend on the plan. The tree is planned once,
/// when the schedule is made. Afterwards O(1) or O(log p) per edge.
template <planner Planner, tree_plan::direction Way = tree_plan::direction::one_to_many>
struct planned {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    lob_model cluster{};

    static constexpr algorithm_info info = collsched::detail::planned_info<Planner>(collective::broadcast);

    constexpr auto view() const {
        const bytes_t message = segment > 0 && segment < bytes ? segment : bytes;
        return lower(over_tree<trees::planned_tree>{.ranks = ranks,
                                                    .root = root,
                                                    .bytes = bytes,
                                                    .element = element,
                                                    .segment = segment,
                                                    .tree = plan_tree<Planner>(Way, cluster, ranks, root, message)});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
        f("cluster", self.cluster);
    }
    bool operator==(const planned&) const = default;
};

}  // namespace broadcast

namespace gather {

/// Gather up the tree of a planner for a cluster: over_tree with that tree. The plan assumes that every message has the
/// mean size of a block, which is accurate for short blocks. Inner ranks send the blocks of their subtrees in one
/// message. The root receives each message in one piece and copies its blocks (root_receive::instant), since they are
/// rarely adjacent. Rounds, bytes and scratch are those of over_tree.
template <planner Planner, tree_plan::direction Way = tree_plan::direction::many_to_one>
struct planned {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    lob_model cluster{};

    static constexpr algorithm_info info = collsched::detail::planned_info<Planner>(collective::gather);

    constexpr auto view() const {
        return over_tree<trees::planned_tree, root_receive::instant>{
            .ranks = ranks,
            .root = root,
            .block = block,
            .tree = plan_tree<Planner>(Way, cluster, ranks, root, collsched::detail::mean_block(block, ranks))}
            .view();
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("cluster", self.cluster);
    }
    bool operator==(const planned&) const = default;
};

}  // namespace gather

namespace reduce {

/// Reduce up the tree of a planner for messages to the root: the reverse of broadcast::planned, with combination.
/// Reorders the operands: commutative operations only.
///
/// Rounds depend on the plan. Every rank but the root sends all bytes once, and has as much scratch.
template <planner Planner>
using planned = reversed<broadcast::planned<Planner, tree_plan::direction::many_to_one>>;

}  // namespace reduce

namespace scatter {

/// Scatter down the tree of a planner for messages from the root: the reverse of gather::planned, with the same rounds,
/// bytes and scratch for the same tree.
template <planner Planner>
using planned = reversed<gather::planned<Planner, tree_plan::direction::one_to_many>>;

}  // namespace scatter

}}  // namespace collsched::COLLSCHED_ABI
