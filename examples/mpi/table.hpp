#pragma once

#include <string>

#include "collsched/group/choice_policy.hpp"

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

/// Returns the policy of the table. @pre has_table()
const choice_policy& by_table();

}  // namespace collsched::preload
