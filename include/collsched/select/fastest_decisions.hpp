#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

#include "collsched/select/decision_table.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Makes the rows for the calls of one collective from one number of ranks and ranks per node, size by size.
class fastest_rows {
  public:
    explicit fastest_rows(std::vector<decision>& table) : table_(table) {}

    /// Adds rows for a size, the next larger one, if they differ from those before.
    /// @param timed  rows of this size, one or more
    void add(std::span<const decision* const> timed) {
        const decision *any = nullptr, *ordered = nullptr;
        for (const decision* row : timed) {
            if (any == nullptr || row->time < any->time) any = row;
            if (!row->commutative && (ordered == nullptr || row->time < ordered->time)) ordered = row;
        }
        if (ordered != nullptr && !is_last(ordered_, *ordered)) ordered_ = any_ = push(*ordered);
        if (!is_last(any_, *any)) any_ = push(*any);
        if (!any->commutative) ordered_ = any_;
        first_ = false;
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    bool is_last(std::size_t last, const decision& row) const { return last != none && table_[last].same_choice(row); }
    /// Adds a row. The rows of the smallest size serve all smaller calls.
    std::size_t push(const decision& row) {
        table_.push_back(row);
        if (first_) table_.back().bytes = 0;
        return table_.size() - 1;
    }

    std::vector<decision>& table_;
    std::size_t any_ = none, ordered_ = none;  // rows that serve commutative operations, and all others
    bool first_ = true;
};

}  // namespace detail

/// Returns a decision table of the fastest of measured or priced rows. For each number of ranks, ranks per node, class of
/// the brackets and size it has the fastest row; and the fastest one that keeps the order of operands, if the former requires a commutative operation. A
/// row equal to that before it is left out. The rows of the smallest size apply from 0 bytes on. O(n log n).
/// @param timed  rows in any order, several for a size; `bytes` is the size, `time` the median or price
/// @return the table, by collective, ranks, ranks per node, class and size
inline std::vector<decision> fastest_decisions(std::span<const decision> timed) {
    const auto group = [](const decision* row) {
        return std::tuple(row->collective, row->ranks, row->ranks_per_node, row->association);
    };
    std::vector<const decision*> rows;
    for (const decision& row : timed) rows.push_back(&row);
    std::ranges::sort(rows, {}, [&](const decision* row) { return std::tuple(group(row), row->bytes, row); });
    std::vector<decision> table;
    for (std::size_t begin = 0; begin < rows.size();) {
        detail::fastest_rows fastest(table);
        const decision* const first = rows[begin];
        while (begin < rows.size() && group(rows[begin]) == group(first)) {
            std::size_t end = begin + 1;
            while (end < rows.size() && group(rows[end]) == group(first) && rows[end]->bytes == rows[begin]->bytes)
                ++end;
            fastest.add(std::span(rows).subspan(begin, end - begin));
            begin = end;
        }
    }
    return table;
}

}}  // namespace collsched::COLLSCHED_ABI
