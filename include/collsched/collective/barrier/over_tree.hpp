#pragma once

#include <array>
#include <cstddef>

#include "collsched/collective/barrier/detail/signal_tree.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/combine/then.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier {

/// Barrier through a root: signals up one tree, then down another. Rounds up.steps(p) + down.steps(p), 2 (p-1) signals.
/// @param ranks  number of ranks, 1 or more
/// @param root   root of both trees, 0 .. ranks-1
/// @param up     tree of the signals to the root
/// @param down   tree of the signals from the root
/// @return a schedule
template <rooted_tree Up, rooted_tree Down>
constexpr auto over_trees(rank_t ranks, rank_t root, const Up& up, const Down& down) {
    return then(reverse(detail::signal_tree<Up>{ranks, root, up}), detail::signal_tree<Down>{ranks, root, down});
}

/// Signals up a tree to the root, then down the same tree: over_trees with the same tree twice.
///
/// Rounds 2 tree.steps(p): the rounds upwards are those downwards in reverse order. 2 (p-1) signals.
template <rooted_tree Tree>
struct over_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    Tree tree{};

    /// Returns "2 (p-1)" for "p-1".
    static constexpr auto rounds = [] {
        std::size_t length = 0;
        while (Tree::rounds[length] != '\0') ++length;
        std::array<char, 64> text{'2', ' ', '('};
        for (std::size_t i = 0; i < length; ++i) text[i + 3] = Tree::rounds[i];
        text[length + 3] = ')';
        return text;
    }();
    static constexpr algorithm_info info{
        .collective = collective::barrier, .name = Tree::name, .rounds = rounds.data(), .source = Tree::source};

    constexpr auto view() const { return over_trees(ranks, root, tree, tree); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        Tree::parameters(self.tree, f);
    }
    bool operator==(const over_tree&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::barrier
