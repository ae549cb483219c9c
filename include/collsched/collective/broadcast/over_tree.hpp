#pragma once

#include "collsched/collective/broadcast/detail/tree_pipeline.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

/// Broadcast down a tree, in pieces of at most `segment` bytes (0: in one piece), pipelined as closely as the tree
/// allows. A pair of trees carries the pieces alternately, and has at least two pieces.
///
/// Rounds tree.steps(p) + (S-1) * period, for S = ceil(bytes / segment) pieces (S = ceil(pieces / 2) for a pair). The
/// period is the largest number of sends of a rank in the tree. Every rank but the root receives all bytes once and
/// sends them once per child. With the double binary trees only the root sends more than it receives, and a rank may
/// receive two messages in a step, one of each tree. No scratch. The source is that of the tree.
template <class Tree>
    requires(rooted_tree<Tree> || tree_pair<Tree>)
struct over_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    Tree tree{};

    static constexpr algorithm_info info{
        .collective = collective::broadcast, .name = Tree::name, .rounds = Tree::rounds, .source = Tree::source};

    constexpr rank_t pieces() const {
        const rank_t needed = collsched::detail::piece_count(bytes, segment);
        return tree_pair<Tree> && needed < 2 ? 2 : needed;
    }
    constexpr detail::whole_store store() const {
        return {block_layout::partition(bytes, pieces(), element), pieces(), ranks, root};
    }
    constexpr argument_error check() const {
        if (argument_error error = check_tree(tree, ranks, root)) return error;
        if (argument_error error = run().check()) return {"segment", segment, error.expected};
        return {};
    }
    /// Returns whether the reverse of this broadcast combines operands in rank order.
    constexpr bool reverse_keeps_order() const { return Tree::reverse_keeps_order && root == 0; }

    constexpr step_t steps() const { return run().steps(); }
    constexpr step_range active(rank_t r) const { return run().active(r); }
    constexpr step_t next(rank_t r, step_t k) const { return run().next(r, k); }
    constexpr void targets(rank_t r, step_t k, auto f) const { run().targets(r, k, f); }
    constexpr void sources(rank_t r, step_t k, auto f) const { run().sources(r, k, f); }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const { run().message(src, dst, k, f); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
        Tree::parameters(self.tree, f);
    }
    bool operator==(const over_tree&) const = default;

  private:
    [[gnu::always_inline]] constexpr auto run() const {
        if constexpr (tree_pair<Tree>) return detail::tree_pipeline{Tree::trees, 2, ranks, root, pieces()};
        else return detail::tree_pipeline{&tree, 1, ranks, root, pieces()};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
