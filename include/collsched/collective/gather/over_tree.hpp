#pragma once

#include <type_traits>

#include "collsched/collective/gather/root_receive.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace gather {

/// Gather over a tree: after a rank has received from all children it sends the blocks of its subtree in one message to
/// its parent. The order of steps is the reverse of the tree's.
///
/// Rounds tree.steps(p). Every byte is sent once per edge of its path. The root receives all bytes but its own, from as
/// many ranks as it has children: ceil(log2 p) for the binomial tree. Scratch: the bytes of its subtree for an inner
/// rank, none for a leaf. The root needs scratch for none of the blocks (direct), for those not received from leaves
/// (instant), or for those outside continuous chains (chained). `Receive` is the root's root_receive: the binomial
/// gathers of the Gatherv paper are instant (messages are copied one step after their arrival) or chained (message
/// chains).
///
/// Subtrees must be contiguous in relative rank. gather/in_preorder.hpp has the gather over any other tree.
template <rooted_tree Tree, root_receive Receive = root_receive::direct>
struct over_tree {
    static_assert(contiguous_tree<Tree>,
                  "subtrees of this tree are not contiguous: include collective/gather/in_preorder.hpp");
};

/// Specialization for a tree whose subtrees are contiguous in relative rank (rank - root) mod p. All functions have
/// closed forms.
template <contiguous_tree Tree, root_receive Receive>
struct over_tree<Tree, Receive> {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    Tree tree{};

    /// Whether the tree is the binomial one, whose name differs for root_receive::chained.
    static constexpr bool is_binomial = std::is_same_v<Tree, trees::binomial>;
    static constexpr algorithm_info info{
        .collective = collective::gather,
        .name = Receive == root_receive::chained && is_binomial ? "binomial-chained" : Tree::name,
        .rounds = Tree::rounds,
        .source = Receive == root_receive::direct ? Tree::source : "Sun et al., Gatherv",
        .variant = static_cast<std::int64_t>(Receive)};

    constexpr detail::tree_store<Tree> store() const { return {block, ranks, root, tree, Receive}; }
    constexpr step_t steps() const { return tree.steps(ranks); }
    constexpr argument_error check() const { return tree.check(ranks); }
    constexpr step_range active(rank_t r) const {
        const step_t up = step_up(relative(r));
        return {up - tree.fanout(ranks, relative(r)), r == root ? steps() - 1 : up};
    }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        const rank_t v = relative(r);
        if (v > 0 && step_up(v) == k) f(absolute(tree.parent(ranks, v)));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        const rank_t child = tree.child(ranks, relative(r), steps() - 1 - k);
        if (child >= 0) f(absolute(child));
    }
    constexpr void message(rank_t src, rank_t, step_t, auto f) const {
        f(block_interval{src, tree.extent(ranks, relative(src))});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        Tree::parameters(self.tree, f);
    }
    bool operator==(const over_tree&) const = default;

  private:
    constexpr rank_t relative(rank_t r) const { return wrap(r - root, ranks); }
    constexpr rank_t absolute(rank_t v) const { return wrap(v + root, ranks); }
    /// Returns the step in which v sends its blocks; for the root the step after the last.
    constexpr step_t step_up(rank_t v) const { return steps() - 1 - tree.step(ranks, v); }
};

}}}  // namespace collsched::COLLSCHED_ABI::gather
