#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Index of numbers by a hash of the values that they represent. O(1) per call with distributed hashes. Works during
/// constant evaluation.
class hash_index {
  public:
    /// Returns the number added with this hash for which equal(number) is true, or -1.
    template <class Equal>
    constexpr std::int64_t find(std::uint64_t hash, Equal equal) const {
        if (slots_.empty()) return -1;
        const slot* const slots = slots_.begin();
        for (std::uint64_t i = hash & mask_; slots[i].number >= 0; i = (i + 1) & mask_)
            if (slots[i].hash == hash && equal(slots[i].number)) return slots[i].number;
        return -1;
    }

    /// Adds a number, 0 or more.
    constexpr void add(std::uint64_t hash, std::int64_t number) {
        if (2 * ++count_ > slots_.size()) grow();
        place({hash, number});
    }

  private:
    struct slot {
        std::uint64_t hash;
        std::int64_t number = -1;
    };

    constexpr void place(const slot& entry) {
        slot* const slots = slots_.begin();
        std::uint64_t i = entry.hash & mask_;
        while (slots[i].number >= 0) i = (i + 1) & mask_;
        slots[i] = entry;
    }

    constexpr void grow() {
        const owned_array<slot> before = static_cast<owned_array<slot>&&>(slots_);
        slots_ = owned_array<slot>(before.empty() ? 16 : 2 * before.size());
        mask_ = static_cast<std::uint64_t>(slots_.size()) - 1;
        for (const slot& s : before)
            if (s.number >= 0) place(s);
    }

    owned_array<slot> slots_;  // a power of two, at most half of them used
    std::uint64_t mask_ = 0;
    std::int64_t count_ = 0;
};

/// Origin of a byte: 0 .. p-1 is the input of that rank; from p on a combination in an operand_table.
using operand_id = std::int64_t;

/// Combinations of inputs as sequences of rank intervals in operand order. Equal combinations have equal ids.
class operand_table {
  public:
    constexpr operand_table(rank_t ranks, bool commutative) : ranks_(ranks), commutative_(commutative) {
        end_.push_back(0);
    }

    /// Returns the combination "left op right", or -1 if a rank occurs twice. O(1) for a repeated pair; else
    /// O(intervals of both), or their product if the operator does not commute.
    constexpr operand_id combine(operand_id left, operand_id right) {
        if (commutative_ && right < left) std::swap(left, right);
        const std::uint64_t hash =
            mixed(static_cast<std::uint64_t>(left) * odd_factor + static_cast<std::uint64_t>(right));
        const std::int64_t found =
            made_of_.find(hash, [&](std::int64_t i) { return pairs_[i].left == left && pairs_[i].right == right; });
        if (found >= 0) return pairs_[found].result;
        const operand_id result = combined(left, right);
        made_of_.add(hash, pairs_.size());
        pairs_.push_back({left, right, result});
        return result;
    }

    /// Returns whether the operand is first op first+1 op ... op last-1.
    constexpr bool is(operand_id id, rank_t first, rank_t last) const {
        if (id < ranks_) return id == first && id + 1 == last;
        return count(id) == 1 && at(id, 0).first == first && at(id, 0).last == last;
    }

    /// Returns whether the operand contains each of the ranks first .. last-1 once, in any order.
    constexpr bool has_the_ranks(operand_id id, rank_t first, rank_t last) const {
        rank_t ranks = 0;
        for (std::int64_t i = 0; i < count(id); ++i) {
            if (at(id, i).first < first || at(id, i).last > last) return false;
            ranks += at(id, i).last - at(id, i).first;
        }
        return ranks == last - first;
    }

    /// Calls f(first, last) for each interval first .. last-1 in operand order.
    constexpr void visit(operand_id id, auto f) const {
        for (std::int64_t i = 0; i < count(id); ++i) f(at(id, i).first, at(id, i).last);
    }

  private:
    struct run {
        rank_t first, last;
        bool operator==(const run&) const = default;
    };
    struct pair {
        operand_id left, right, result;
    };
    static constexpr std::uint64_t odd_factor = 0x9e3779b97f4a7c15;

    static constexpr std::uint64_t mixed(std::uint64_t bits) {
        bits *= odd_factor;
        return bits ^ bits >> 32;
    }

    constexpr std::int64_t begin(operand_id id) const { return end_[id - ranks_]; }
    constexpr std::int64_t count(operand_id id) const { return id < ranks_ ? 1 : end_[id - ranks_ + 1] - begin(id); }
    constexpr run at(operand_id id, std::int64_t i) const {
        return id < ranks_ ? run{id, id + 1} : runs_[begin(id) + i];
    }

    constexpr operand_id combined(operand_id left, operand_id right) {
        const std::int64_t first = runs_.size();
        if (!(commutative_ ? merge(first, left, right) : append(first, left) && append(first, right))) {
            runs_.erase(first, runs_.size());
            return -1;
        }
        std::uint64_t hash{};
        for (std::int64_t i = first; i < runs_.size(); ++i)
            hash = mixed(hash + static_cast<std::uint64_t>(runs_[i].first) * odd_factor +
                         static_cast<std::uint64_t>(runs_[i].last));
        const std::int64_t found = held_.find(hash, [&](std::int64_t id) { return equals_new(id, first); });
        if (found >= 0) {
            runs_.erase(first, runs_.size());
            return found;
        }
        end_.push_back(runs_.size());
        const operand_id result = ranks_ + end_.size() - 2;
        held_.add(hash, result);
        return result;
    }

    /// Returns whether combination id equals the intervals from runs_[first] on.
    constexpr bool equals_new(operand_id id, std::int64_t first) const {
        if (count(id) != runs_.size() - first) return false;
        for (std::int64_t i = 0; i < count(id); ++i)
            if (!(at(id, i) == runs_[first + i])) return false;
        return true;
    }

    /// Appends an interval to the new combination, which begins at runs_[first].
    constexpr void go_on(std::int64_t first, const run& next) {
        if (runs_.size() > first && runs_[runs_.size() - 1].last == next.first)
            runs_[runs_.size() - 1].last = next.last;
        else runs_.push_back(next);
    }

    /// Merges the intervals of both in the order of ranks. Returns false if two overlap.
    constexpr bool merge(std::int64_t first, operand_id left, operand_id right) {
        const std::int64_t lefts = count(left), rights = count(right);
        for (std::int64_t i = 0, j = 0; i + j < lefts + rights;) {
            const bool from_left = j == rights || (i < lefts && at(left, i).first < at(right, j).first);
            const run next = from_left ? at(left, i++) : at(right, j++);
            if (runs_.size() > first && runs_[runs_.size() - 1].last > next.first) return false;
            go_on(first, next);
        }
        return true;
    }

    /// Appends the intervals of a combination. Returns false if two overlap.
    constexpr bool append(std::int64_t first, operand_id id) {
        for (std::int64_t i = 0; i < count(id); ++i) {
            const run next = at(id, i);
            for (std::int64_t j = first; j < runs_.size(); ++j)
                if (runs_[j].first < next.last && next.first < runs_[j].last) return false;
            go_on(first, next);
        }
        return true;
    }

    rank_t ranks_;
    bool commutative_;
    gap_array<run> runs_;
    gap_array<std::int64_t> end_;  // combination i is runs_[end_[i] .. end_[i+1]-1]
    gap_array<pair> pairs_;        // operands and result
    hash_index made_of_, held_;    // pairs_ by their operands; combinations by their intervals
};

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
