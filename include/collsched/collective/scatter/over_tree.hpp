#pragma once

#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scatter {

/// Scatter over a tree: the reverse of gather::over_tree, with the same rounds, bytes and scratch. Messages that the
/// gather's root copies one step after their arrival are packed by the scatter's root one step before they are sent.
template <rooted_tree Tree, gather::root_receive Receive = gather::root_receive::direct>
struct over_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    Tree tree{};

    static constexpr algorithm_info info = collsched::detail::reversed_info<gather::over_tree<Tree, Receive>>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(
            gather::over_tree<Tree, Receive>{.ranks = ranks, .root = root, .block = block, .tree = tree});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<gather::over_tree<Tree, Receive>>(self, f);
    }
    bool operator==(const over_tree&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::scatter
