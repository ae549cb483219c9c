#pragma once

#include <cstdint>

#include "collsched/core/gap_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched {

/// What a byte is made of: 0 .. p-1 the input of that rank; from p on a combination kept in an operand_table.
using operand_id = std::int64_t;

/// Combinations of the ranks' inputs, as sequences of rank intervals in operand order.
class operand_table {
  public:
    constexpr operand_table(rank_t ranks, bool commutative) : ranks_(ranks), commutative_(commutative) {
        end_.push_back(0);
    }

    /// The combination "left op right", or -1 if a rank enters twice. O(intervals of both); their square where the operator
    /// does not commute.
    constexpr operand_id combine(operand_id left, operand_id right) {
        const std::int64_t first = runs_.size();
        if (!(commutative_ ? merge(first, left, right) : append(first, left) && append(first, right))) {
            runs_.erase(first, runs_.size());
            return -1;
        }
        end_.push_back(runs_.size());
        return ranks_ + end_.size() - 2;
    }

    /// Is it first op first+1 op ... op last-1?
    constexpr bool is(operand_id id, rank_t first, rank_t last) const {
        if (id < ranks_) return id == first && id + 1 == last;
        return count(id) == 1 && at(id, 0).first == first && at(id, 0).last == last;
    }

    /// The ranks first .. last-1, each once, in whatever order?
    constexpr bool has_the_ranks(operand_id id, rank_t first, rank_t last) const {
        rank_t ranks = 0;
        for (std::int64_t i = 0; i < count(id); ++i) {
            if (at(id, i).first < first || at(id, i).last > last) return false;
            ranks += at(id, i).last - at(id, i).first;
        }
        return ranks == last - first;
    }

    /// Calls f(first, last) for the ranks first .. last-1 combined, interval by interval in operand order.
    template <class F>
    constexpr void visit(operand_id id, F f) const {
        for (std::int64_t i = 0; i < count(id); ++i) f(at(id, i).first, at(id, i).last);
    }

  private:
    struct run {
        rank_t first = 0, last = 0;
    };

    constexpr std::int64_t begin(operand_id id) const { return end_[id - ranks_]; }
    constexpr std::int64_t count(operand_id id) const { return id < ranks_ ? 1 : end_[id - ranks_ + 1] - begin(id); }
    constexpr run at(operand_id id, std::int64_t i) const {
        return id < ranks_ ? run{id, id + 1} : runs_[begin(id) + i];
    }

    /// The intervals of the new combination, from runs_[first] on, go on with this one.
    constexpr void go_on(std::int64_t first, const run& next) {
        if (runs_.size() > first && runs_[runs_.size() - 1].last == next.first)
            runs_[runs_.size() - 1].last = next.last;
        else runs_.push_back(next);
    }

    /// In the order of ranks, in which the intervals of both are already. False if two overlap.
    constexpr bool merge(std::int64_t first, operand_id left, operand_id right) {
        const std::int64_t all = count(left) + count(right);
        for (std::int64_t i = 0, j = 0; i + j < all;) {
            const bool from_left = j == count(right) || (i < count(left) && at(left, i).first < at(right, j).first);
            const run next = from_left ? at(left, i++) : at(right, j++);
            if (runs_.size() > first && runs_[runs_.size() - 1].last > next.first) return false;
            go_on(first, next);
        }
        return true;
    }

    /// Behind those that are there. False if two overlap.
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
};

}  // namespace collsched
