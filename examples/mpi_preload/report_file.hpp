#pragma once

#include <map>
#include <string>

#include "report.hpp"

namespace collsched::preload {

/// Rows of one rank or of several.
using merged_rows = std::map<call_class, call_sums>;

/// Adds the rows of all ranks up on rank 0. Returns false there if a rank has sent malformed rows. Collective over
/// MPI_COMM_WORLD.
bool merge_over_ranks(merged_rows& rows);

/// Writes the report as JSON, completely or not at all. Returns the reason of a failure; empty: none.
std::string write_report(const std::string& path, const merged_rows& rows);

}  // namespace collsched::preload
