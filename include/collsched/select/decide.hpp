#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/select/detail/request_checks.hpp"
#include "collsched/select/choice.hpp"
#include "collsched/select/decision_table.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The result of decide().
struct decision::result {
    /// A row that fits the call, and the reason against it.
    struct skipped_row {
        const decision* row = nullptr;  ///< the row, in the table
        argument_error error;           ///< the reason
    };

    const decision* row = nullptr;           ///< the chosen row, in the table; null: none serves the call
    const algorithm_entry* entry = nullptr;  ///< its algorithm, in the list of algorithms
    shape parameters;                        ///< the request with the parameters of the row
    std::vector<skipped_row> skipped;        ///< rows that take precedence over it but do not serve the call, in order
};

namespace detail {

/// Finds algorithms of rows that serve a request.
class row_check {
  public:
    row_check(const choice::request& request, std::span<const algorithm_entry> list) : request_(request), list_(list) {}

    /// Returns the algorithm of a row, or null.
    const algorithm_entry* entry_of(const decision& row) const {
        return find_algorithm(list_, row.collective, row.algorithm);
    }
    /// Returns the reason why the row does not serve the request, or no error.
    argument_error check(const decision& row) const {
        const algorithm_entry* entry = entry_of(row);
        if (entry == nullptr) return {"algorithm", 0, "one of 'collsched list'"};
        if (const argument_error error = check_plans(*entry, request_)) return error;
        const shape parameters = decided(row, request_.parameters);
        return check_choice(*entry, parameters, entry->make(parameters), request_);
    }

  private:
    const choice::request& request_;
    std::span<const algorithm_entry> list_;
};

}  // namespace detail

/// Returns the size of a request in decision tables: bytes of the message, or of the blocks of all ranks together; 0 for
/// a barrier and for an invalid layout.
/// @param request  collective and sizes
inline bytes_t table_bytes(const choice::request& request) {
    return request.collective == collective::barrier ? 0 : detail::total_bytes(request.parameters);
}

/// Returns the rows of a table that fit a call, in the order of their precedence; the last of equal rows first.
/// O(rows log rows) comparisons.
/// @param table  rows in any order
/// @param call   the call
inline std::vector<const decision*> fitting_rows(std::span<const decision> table, const decision::call& call) {
    std::vector<const decision*> rows;
    for (const decision& row : table) {
        if (!row.fits(call)) continue;
        const auto later = [&](const decision* other) { return !row.precedes(*other); };
        rows.insert(std::ranges::partition_point(rows, later), &row);
    }
    return rows;
}

/// Chooses by a decision table: among the rows that fit the request and whose algorithm serves it, the one that takes
/// precedence, as for find_decision(). O(rows log rows) comparisons.
/// @param table    rows, such as those of read_decisions() or a constexpr table
/// @param request  collective, sizes, order of operands, class of the brackets, cluster, ranks per node and limit of steps;
///                 its options of the search have no effect
/// @param list     algorithms that rows may name
/// @return the row with its algorithm and parameters, and the rows skipped before it
inline decision::result decide(std::span<const decision> table, const choice::request& request,
                               std::span<const algorithm_entry> list) {
    const rank_t per_node = request.ranks_per_node;
    const decision::call call{.collective = request.collective,
                              .ranks = request.parameters.ranks,
                              .bytes = table_bytes(request),
                              .ranks_per_node = per_node > 0 ? per_node : request.parameters.placement.ranks_per_node(),
                              .commutative = !request.keeps_order,
                              .association = request.bits};
    const detail::row_check rules(request, list);
    decision::result result;
    result.parameters = request.parameters;
    for (const decision* row : fitting_rows(table, call)) {
        if (const argument_error error = rules.check(*row)) {
            result.skipped.push_back({row, error});
            continue;
        }
        result.row = row;
        result.entry = rules.entry_of(*row);
        result.parameters = decided(*row, request.parameters);
        break;
    }
    return result;
}

}}  // namespace collsched::COLLSCHED_ABI
