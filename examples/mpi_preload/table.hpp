#pragma once

#include <optional>
#include <string>

#include "selection.hpp"

namespace collsched::preload {

/// The variable with the path of a decision table, which rank 0 of MPI_COMM_WORLD reads.
inline constexpr const char* table_variable = "COLLSCHED_TABLE";

/// Reads the decision table on rank 0 and broadcasts it. A mistake ends the program with status 2 after one line.
/// Collective over MPI_COMM_WORLD; called once, after share_cluster().
void share_table();

/// Returns whether a table was read.
bool has_table();

/// Returns a phrase with the path and the number of rows of the table on rank 0 of MPI_COMM_WORLD, "none" without one.
std::string table_text();

/// Selects an algorithm by the row of the table that takes precedence among those that support the call.
/// @param skipped  receives the reason against rows that were skipped, or that no row fits; empty without a table
std::optional<choice> choose_by_table(const decision& how, const selection_input& from, std::string& skipped);

/// Selects an algorithm by the built-in rules in the same way.
std::optional<choice> choose_by_rules(const decision& how, const selection_input& from, std::string& skipped);

/// Returns the total size of a call, as tables have it: of the message, or of the blocks of all ranks together.
bytes_t bytes_in_tables(const decision& how);

}  // namespace collsched::preload
