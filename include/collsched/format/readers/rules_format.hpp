#pragma once

#include <cstddef>
#include <string_view>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The name of the format that a text looks like, among rules files of Open MPI and selection files of MPICH; null: neither. It
/// helps to say what a file is that was expected to be something else.
constexpr const char* rules_format(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return nullptr;
    if (text[first] == '{') {
        if (text.find("\"rule_file_version\"") != text.npos) return "a rules file of Open MPI 6.0";
        return text.find("\"collective=") != text.npos ? "a selection file of MPICH" : nullptr;
    }
    // Comments, then a line with a number of collectives alone, or the version of the format.
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
        const std::string_view said = line.substr(0, line.find('#'));
        const std::size_t begin = said.find_first_not_of(" \t\r");
        if (begin == said.npos) continue;
        const bool numbers = said.find_first_not_of("0123456789 \t\r") == said.npos;
        return numbers || said.substr(begin).starts_with("rule-file-version-") ? "a rules file of Open MPI" : nullptr;
    }
    return nullptr;
}

}}  // namespace collsched::COLLSCHED_ABI
