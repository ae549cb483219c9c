#pragma once

#include "collsched/tree/concepts.hpp"
#include "collsched/tree/planned_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Planned tree renumbered by preorder positions, so that every subtree is contiguous. As a permutation it maps
/// positions to ranks, with the root of the tree at `root`. child() is O(log fanout), other functions O(1).
struct preorder {
    static constexpr const char* name = planned_tree::name;
    static constexpr const char* rounds = planned_tree::rounds;
    static constexpr const char* source = planned_tree::source;
    static constexpr bool reverse_keeps_order = false;

    planned_tree tree{};  ///< the tree before the renumbering
    rank_t root = 0;      ///< rank of the root, 0 .. p-1

    constexpr step_t steps(rank_t p) const { return tree.steps(p); }
    constexpr rank_t parent(rank_t p, rank_t i) const { return position(tree.parent(p, tree.rank_at(i))); }
    constexpr step_t step(rank_t p, rank_t i) const { return tree.step(p, tree.rank_at(i)); }
    constexpr rank_t child(rank_t p, rank_t i, step_t k) const { return position(tree.child(p, tree.rank_at(i), k)); }
    constexpr step_t fanout(rank_t p, rank_t i) const { return tree.fanout(p, tree.rank_at(i)); }
    constexpr step_t most_sends(rank_t p) const { return tree.most_sends(p); }
    constexpr rank_t extent(rank_t p, rank_t i) const { return tree.extent(p, tree.rank_at(i)); }

    /// Returns the rank at a position.
    ///
    /// @param i  position in preorder, 0 .. p-1
    constexpr rank_t rank(rank_t i) const { return wrap(tree.rank_at(i) + root, tree.ranks()); }
    /// Returns the position of a rank.
    ///
    /// @param r  rank, 0 .. p-1
    constexpr rank_t virtual_rank(rank_t r) const { return tree.position(wrap(r - root, tree.ranks())); }

    constexpr argument_error check(rank_t p) const { return tree.check(p); }
    static constexpr void parameters(auto& self, auto f) { planned_tree::parameters(self.tree, f); }
    bool operator==(const preorder&) const = default;

  private:
    constexpr rank_t position(rank_t v) const { return v < 0 ? v : tree.position(v); }
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
