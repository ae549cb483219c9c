#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "measured_case.hpp"

namespace collsched::measured {

/// A row of a file of measurements: the time, and the texts of the row.
struct measured_row {
    measurement time{};            ///< case, algorithm and time; the time is 0 where the file has none
    std::string machine{};         ///< name of the cluster (column machine), or empty
    std::string collective{};      ///< name of the collective as the file spells it
    std::string nodes{};           ///< such as "64" or "4x4x4"; the number of ranks where the file has no nodes
    std::string ranks_per_node{};  ///< number of ranks per node, or empty
    std::string gpu{};             ///< whether buffers are in the memory of GPUs, or empty
    std::string mpi{};             ///< name of the MPI, or empty
    int line = 0;                  ///< line in the file, from 1
};

/// The rows of a file of measurements, and the lines that are not among them. Comments and empty lines are neither.
struct measured_file {
    /// Lines that are not read, all for the same reason.
    struct unread_lines {
        int first = 0;         ///< the first of these lines, from 1
        int count = 0;         ///< number of lines
        std::string reason{};  ///< noun phrase for the lines, such as "messages of 0 bytes"

        /// Returns one line such as `FILE:7: 3 lines are not read: messages of 0 bytes`.
        /// @param file  name of the file
        std::string text(const std::string& file) const {
            return fmt::format("{}:{}: {} not read: {}", file, first,
                               count == 1 ? "1 line is" : fmt::format("{} lines are", count), reason);
        }
    };

    std::vector<measured_row> rows{};    ///< in the order of the file
    std::vector<unread_lines> unread{};  ///< one element per reason, ascending in `first`
};

}  // namespace collsched::measured
