#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/detail/gap_array.hpp"
#include "collsched/verify/detail/hash_index.hpp"
#include "collsched/verify/detail/operands.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Combinations of inputs as binary trees, which also have the brackets that an operand_table leaves out. Equal trees
/// have equal ids. If the operator commutes, trees are equal without regard to the order of children. The parts of a
/// tree have smaller ids than the tree.
class expression_table {
  public:
    constexpr expression_table(rank_t ranks, bool commutative)
        : ranks_(ranks), commutative_(commutative), operands_(ranks, commutative) {}

    /// Returns the tree "left op right", or -1 if a rank occurs twice. O(1) for a repeated pair; else that of
    /// operand_table::combine().
    constexpr operand_id combine(operand_id left, operand_id right) {
        if (commutative_ && right < left) std::swap(left, right);
        const std::uint64_t hash =
            (static_cast<std::uint64_t>(left) * odd_factor) ^ (static_cast<std::uint64_t>(right) * odd_factor >> 32);
        const std::int64_t found =
            made_of_.find(hash, [&](std::int64_t i) { return pairs_[i].left == left && pairs_[i].right == right; });
        if (found >= 0) return ranks_ + found;
        const operand_id value = operands_.combine(operand(left), operand(right));
        if (value < 0) return value;
        made_of_.add(hash, pairs_.size());
        pairs_.push_back({left, right, value});
        return ranks_ + pairs_.size() - 1;
    }

    /// Returns whether the tree combines the ranks first .. last-1 in this order.
    constexpr bool is(operand_id tree, rank_t first, rank_t last) const {
        return operands_.is(operand(tree), first, last);
    }

    /// Returns whether the tree combines the ranks first .. last-1, in any order.
    constexpr bool has_the_ranks(operand_id tree, rank_t first, rank_t last) const {
        return operands_.has_the_ranks(operand(tree), first, last);
    }

    /// Returns the number of ids: those of the ranks 0 .. ranks-1, then the trees of two parts.
    constexpr std::int64_t size() const { return ranks_ + pairs_.size(); }

    /// Returns the first part of a tree of two parts.
    constexpr operand_id left(operand_id tree) const { return pairs_[tree - ranks_].left; }

    /// Returns the second part of a tree of two parts.
    constexpr operand_id right(operand_id tree) const { return pairs_[tree - ranks_].right; }

  private:
    struct pair {
        operand_id left, right;
        operand_id value;  // in operands_
    };
    static constexpr std::uint64_t odd_factor = 0x9e3779b97f4a7c15;

    constexpr operand_id operand(operand_id tree) const { return tree < ranks_ ? tree : pairs_[tree - ranks_].value; }

    rank_t ranks_;
    bool commutative_;
    operand_table operands_;
    gap_array<pair> pairs_;
    hash_index made_of_;  // pairs_ by their parts
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
