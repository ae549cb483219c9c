#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/rules/measured_row.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

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

}}  // namespace collsched::COLLSCHED_ABI
