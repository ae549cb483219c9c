#pragma once

#include "collsched/collective/gather/planned.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scatter {

/// Scatter down the tree of a planner for messages from the root: the reverse of gather::planned, with the same rounds,
/// bytes and scratch for the same tree.
template <planner Planner>
struct planned {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    cluster_model cluster{};

    static constexpr algorithm_info info =
        collsched::detail::reversed_info<gather::planned<Planner, tree_plan::direction::one_to_many>>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(gather::planned<Planner, tree_plan::direction::one_to_many>{
            .ranks = ranks, .root = root, .block = block, .cluster = cluster});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<gather::planned<Planner, tree_plan::direction::one_to_many>>(self, f);
    }
    bool operator==(const planned&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::scatter
