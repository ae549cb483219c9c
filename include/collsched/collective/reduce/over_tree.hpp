#pragma once

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// Reduce up a tree: the reverse of broadcast::over_tree, with combination and with the same segments. Keeps the order
/// of operands if the root is 0 and the tree is in order (binomial, chain, in-order binary); otherwise reorders them.
///
/// Rounds and messages are those of the broadcast. Every rank but the root sends all bytes once, and has as much
/// scratch. The source is that of the tree.
template <class Tree>
struct over_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    Tree tree{};

    static constexpr algorithm_info info = collsched::detail::reversed_info<broadcast::over_tree<Tree>>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(broadcast::over_tree<Tree>{
            .ranks = ranks, .root = root, .bytes = bytes, .element = element, .segment = segment, .tree = tree});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<broadcast::over_tree<Tree>>(self, f);
    }
    bool operator==(const over_tree&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce
