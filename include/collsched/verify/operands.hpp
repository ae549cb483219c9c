#pragma once

#include <cstddef>
#include <vector>

#include "collsched/core/rank.hpp"

namespace collsched {

/// What a byte is made of: 0 .. p-1 the input of that rank; from p on a combination kept in an operand_table.
using operand_id = std::int64_t;

/// Combinations of the ranks' inputs, as sequences of rank intervals in operand order.
class operand_table {
  public:
    constexpr operand_table(rank_t ranks, bool commutative) : ranks_(ranks), commutative_(commutative) {}

    /// The combination "left op right", or -1 if a rank enters twice.
    constexpr operand_id combine(operand_id left, operand_id right) {
        const std::size_t first = runs_.size();
        append(left);
        append(right);
        if (commutative_) order_from(first);
        if (!join_from(first)) {
            runs_.resize(first);
            return -1;
        }
        end_.push_back(runs_.size());
        return ranks_ + static_cast<operand_id>(end_.size()) - 2;
    }

    /// Is it first op first+1 op ... op last-1?
    constexpr bool is(operand_id id, rank_t first, rank_t last) const {
        if (id < ranks_) return id == first && id + 1 == last;
        return count(id) == 1 && at(id, 0).first == first && at(id, 0).last == last;
    }

    /// The ranks first .. last-1, each once, in whatever order?
    constexpr bool has_the_ranks(operand_id id, rank_t first, rank_t last) const {
        rank_t ranks = 0;
        for (std::size_t i = 0; i < count(id); ++i) {
            if (at(id, i).first < first || at(id, i).last > last) return false;
            ranks += at(id, i).last - at(id, i).first;
        }
        return ranks == last - first;
    }

    /// Calls f(first, last) for the ranks first .. last-1 combined, interval by interval in operand order.
    template <class F>
    constexpr void visit(operand_id id, F f) const {
        for (std::size_t i = 0; i < count(id); ++i) f(at(id, i).first, at(id, i).last);
    }

  private:
    struct run {
        rank_t first, last;
    };

    constexpr std::size_t begin(operand_id id) const { return end_[static_cast<std::size_t>(id - ranks_)]; }
    constexpr std::size_t count(operand_id id) const {
        return id < ranks_ ? 1 : end_[static_cast<std::size_t>(id - ranks_) + 1] - begin(id);
    }
    constexpr run at(operand_id id, std::size_t i) const {
        return id < ranks_ ? run{id, id + 1} : runs_[begin(id) + i];
    }

    constexpr void append(operand_id id) {
        for (std::size_t i = 0; i < count(id); ++i) runs_.push_back(at(id, i));
    }

    constexpr void order_from(std::size_t first) {
        for (std::size_t i = first + 1; i < runs_.size(); ++i)
            for (std::size_t j = i; j > first && runs_[j].first < runs_[j - 1].first; --j) {
                const run lower = runs_[j];
                runs_[j] = runs_[j - 1];
                runs_[j - 1] = lower;
            }
    }

    /// Joins neighbouring intervals. False if two overlap.
    constexpr bool join_from(std::size_t first) {
        std::size_t end = first;
        for (std::size_t i = first; i < runs_.size(); ++i) {
            for (std::size_t j = first; j < end; ++j)
                if (runs_[j].first < runs_[i].last && runs_[i].first < runs_[j].last) return false;
            if (end > first && runs_[end - 1].last == runs_[i].first) runs_[end - 1].last = runs_[i].last;
            else runs_[end++] = runs_[i];
        }
        runs_.resize(end);
        return true;
    }

    rank_t ranks_;
    bool commutative_;
    std::vector<run> runs_;
    std::vector<std::size_t> end_{0};  // combination i is runs_[end_[i] .. end_[i+1]-1]
};

}  // namespace collsched
