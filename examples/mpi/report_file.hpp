#pragma once

#include <map>
#include <string>

#include "files/output_target.hpp"
#include "report.hpp"

namespace collsched::preload {

/// Rows of one rank or of several.
using merged_rows = std::map<call_class, call_sums>;

/// Adds the rows of all ranks up on rank 0. Returns false there if a rank has sent malformed rows. Collective over
/// MPI_COMM_WORLD.
bool merge_over_ranks(merged_rows& rows);

/// The place of the report. A descriptor is kept, since the program may close its own.
class report_place {
  public:
    /// Follows the links of a name. Returns whether a report can be written there; false if it names no file.
    bool open(const std::string& name);
    /// Returns what the name must be instead if its file is one of the inputs; empty: it is none.
    std::string expected_instead(const ::collsched::text_file::log& inputs) const;
    /// Writes the report as JSON: in place of a file completely or not at all, otherwise through the descriptor, or into
    /// the device or pipe. Returns the reason of a failure; empty: none.
    std::string write(const merged_rows& rows) const;

  private:
    output_target target_;
};

}  // namespace collsched::preload
