#pragma once

#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/combine/relabel.hpp"
#include "collsched/tree/planned_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace gather {

/// Gather over a tree whose subtrees are not contiguous: over the same tree with the ranks numbered in preorder, in which
/// they are. O(p) once, for at most 2^24 ranks, then O(own edges) per rank.
template <rooted_tree Tree, root_receive Receive>
    requires(!contiguous_tree<Tree>)
struct over_tree<Tree, Receive> {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    Tree tree{};

    static constexpr algorithm_info info{.collective = collective::gather,
                                         .name = Tree::name,
                                         .rounds = Tree::rounds,
                                         .source = Tree::source,
                                         .variant = static_cast<std::int64_t>(Receive)};

    constexpr auto view() const {
        trees::preorder order;
        block_layout blocks = 0;
        if (const argument_error error = check_parameters(*this)) {
            order.tree = trees::planned_tree(error);
        } else {
            order = {planned(tree, ranks), root};
            blocks = permuted(block, ranks, order);
        }
        const over_tree<trees::preorder, Receive> numbered{.ranks = ranks, .block = blocks, .tree = order};
        return relabel(numbered, order, contract_of(*this));
    }
    constexpr argument_error check() const {
        if (ranks > rank_t{1} << 24) return {"ranks", ranks, "2^24 or less, as the tree is stored"};
        return check_tree(tree, ranks, root);
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        Tree::parameters(self.tree, f);
    }
    bool operator==(const over_tree&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::gather
