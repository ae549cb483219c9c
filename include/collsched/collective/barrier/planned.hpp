#pragma once

#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier {

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

}}}  // namespace collsched::COLLSCHED_ABI::barrier
