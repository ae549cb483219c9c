#pragma once

#include <cstddef>
#include <string_view>

#include "collsched/core/config.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the name of the format that a text appears to have, among decision tables, rules files of Open MPI and
/// selection files of MPICH, or null if it has none of them. Error messages name it when another format was expected.
/// @param text  text of a file
constexpr const char* rules_format(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return nullptr;
    if (text[first] == '{') {
        if (text.find("\"rule_file_version\"") != text.npos) return "a rules file of Open MPI 6.0";
        if (text.find("\"collective=") != text.npos) return "a selection file of MPICH";
        return text.find("\"collective\"") != text.npos || text.find("\"collsched decisions\"") != text.npos
                   ? "a decision table"
                   : nullptr;
    }
    // Skips comments, then looks for a line that contains only the number of collectives, or for the version of the
    // format.
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const std::string_view said = line.substr(0, line.find('#'));
        const std::size_t begin = said.find_first_not_of(" \t\r");
        if (begin == said.npos) continue;
        const bool numbers = said.find_first_not_of("0123456789 \t\r") == said.npos;
        return numbers || said.substr(begin).starts_with("rule-file-version-") ? "a rules file of Open MPI" : nullptr;
    }
    return nullptr;
}

}}  // namespace collsched::COLLSCHED_ABI
