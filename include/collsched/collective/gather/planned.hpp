#pragma once

#include "collsched/collective/gather/in_preorder.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace gather {

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

}}}  // namespace collsched::COLLSCHED_ABI::gather

namespace collsched { inline namespace COLLSCHED_ABI { namespace scatter {

/// Scatter down the tree of a planner for messages from the root: the reverse of gather::planned, with the same rounds,
/// bytes and scratch for the same tree.
template <planner Planner>
using planned = reversed<gather::planned<Planner, tree_plan::direction::one_to_many>>;

}}}  // namespace collsched::COLLSCHED_ABI::scatter
