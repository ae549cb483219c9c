#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A row of a decision table: the algorithm and parameters from a number of ranks and a size on. Plain data.
struct decision {
    /// A rule for a table of another library: the algorithm from a number of ranks and a size on.
    struct foreign_rule {
        collsched::collective collective = collsched::collective::barrier;  ///< the collective
        rank_t ranks = 1;                                                   ///< smallest number of ranks
        bytes_t bytes = 0;      ///< of the message, or of the blocks of all ranks together
        std::string foreign{};  ///< name of the algorithm in the other library
        bytes_t segment = 0;    ///< size of a segment in bytes; 0: none
        std::string remark{};   ///< a cheaper algorithm that the other library does not have; empty: none
    };

    collsched::collective collective = collsched::collective::barrier;  ///< the collective
    rank_t ranks = 1;                                                   ///< smallest number of ranks
    bytes_t bytes = 0;                       ///< of the message, or of the blocks of all ranks together
    const char* algorithm = "";              ///< name of the algorithm, such as "rabenseifner"
    std::int64_t segment = shape::as_it_is,  ///< bytes; shape::as_it_is: that of the request
        radix = shape::as_it_is,             ///< parameter `radix`; shape::as_it_is: the algorithm's default
        group = shape::as_it_is,             ///< parameter `group`; shape::as_it_is: the algorithm's default
        aggregate = shape::as_it_is,         ///< parameter `aggregate`; shape::as_it_is: the algorithm's default
        window = shape::as_it_is;            ///< parameter `window`; shape::as_it_is: the algorithm's default

    /// Compares all members, the name of the algorithm by its characters.
    /// @param other  another row
    /// @return whether both rows are equal
    constexpr bool operator==(const decision& other) const {
        return collective == other.collective && ranks == other.ranks && bytes == other.bytes && same_choice(other);
    }
    /// Returns whether both rows have the same algorithm with the same values.
    /// @param other  another row
    constexpr bool same_choice(const decision& other) const {
        return detail::same_text(algorithm, other.algorithm) && segment == other.segment && radix == other.radix &&
               group == other.group && aggregate == other.aggregate && window == other.window;
    }
};

/// Returns the row of this collective with the largest ranks <= p and, among those, the largest bytes <= m; null if
/// there is none. O(rows).
/// @param table       rows in any order
/// @param collective  the collective
/// @param p           number of ranks
/// @param m           bytes of the message, or of the blocks of all ranks together
constexpr const decision* find_decision(std::span<const decision> table, collsched::collective collective, rank_t p,
                                        bytes_t m) {
    const decision* found = nullptr;
    for (const decision& row : table) {
        if (row.collective != collective || row.ranks > p || row.bytes > m) continue;
        if (found == nullptr || row.ranks > found->ranks || (row.ranks == found->ranks && row.bytes >= found->bytes))
            found = &row;
    }
    return found;
}

/// Returns the shape with the parameters of the decision.
/// @param row         a row
/// @param parameters  the request
constexpr shape decided(const decision& row, shape parameters) {
    if (row.segment != shape::as_it_is) parameters.segment = row.segment;
    parameters.radix = row.radix;
    parameters.group = row.group;
    parameters.aggregate = row.aggregate;
    parameters.window = row.window;
    return parameters;
}

/// Appends a row, unless it has the same choice as the last row for the same collective and ranks.
/// @param table  receives the row
/// @param row    a row
inline void add_decision(std::vector<decision>& table, const decision& row) {
    if (!table.empty() && table.back().collective == row.collective && table.back().ranks == row.ranks &&
        table.back().same_choice(row))
        return;
    table.push_back(row);
}

}}  // namespace collsched::COLLSCHED_ABI
