#pragma once

#include "collsched/collective/allgather/over_trees.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

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

}}}  // namespace collsched::COLLSCHED_ABI::allgather
