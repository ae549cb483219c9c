#pragma once

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

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

}}}  // namespace collsched::COLLSCHED_ABI::broadcast

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// Reduce up the tree of a planner for messages to the root: the reverse of broadcast::planned, with combination.
/// Reorders the operands: commutative operations only.
///
/// Rounds depend on the plan. Every rank but the root sends all bytes once, and has as much scratch.
template <planner Planner>
using planned = reversed<broadcast::planned<Planner, tree_plan::direction::many_to_one>>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce
