#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "collsched/core/config.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

inline text_file::format format_of_line(std::string_view line) {
    const auto is_key = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-'; };
    const auto key = static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_key) - line.begin());
    const std::string_view word = line.substr(0, key), remainder = line.substr(key);
    if (word == "-" || word == "---" || line.front() == '%') return text_file::format::yaml;
    if (word.empty() || word.front() == '-') return text_file::format::unknown;
    const std::size_t next = remainder.find_first_not_of(" \t");
    if (next != remainder.npos && remainder[next] == '=') return text_file::format::slurm_conf;
    if (remainder.starts_with(':') && (remainder.size() == 1 || remainder[1] == ' ')) return text_file::format::yaml;
    constexpr std::string_view include = "include";
    const bool includes = std::equal(word.begin(), word.end(), include.begin(), include.end(),
                                     [](unsigned char a, char b) { return std::tolower(a) == b; });
    return includes && next != remainder.npos && next > 0 ? text_file::format::slurm_conf : text_file::format::unknown;
}

}  // namespace detail

/// Returns the format by the first character, or else by the first line that is neither empty nor a comment.
/// @param text  text of a file
inline text_file::format text_format_of(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return text_file::format::empty;
    if (text[first] == '{' || text[first] == '[') return text_file::format::json;
    if (text[first] == '<') return text_file::format::xml;
    while (!text.empty()) {
        const std::string_view line = trimmed(take_line(text));
        if (!line.empty() && line.front() != '#') return detail::format_of_line(line);
    }
    return text_file::format::empty;
}

/// Returns the name of the format that a text appears to have if it is neither JSON nor plain numbers; else empty.
/// @param text  text of a file
inline std::string_view foreign_format(std::string_view text) {
    switch (text_format_of(text)) {
        case text_file::format::xml: return "XML such as a SimGrid platform";
        case text_file::format::slurm_conf: return "a Slurm topology.conf";
        case text_file::format::yaml: return "YAML such as a Slurm topology.yaml";
        case text_file::format::empty:
        case text_file::format::json:
        case text_file::format::unknown: break;
    }
    return {};
}

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
        const std::string_view content = line.substr(0, line.find('#'));
        const std::size_t begin = content.find_first_not_of(" \t\r");
        if (begin == content.npos) continue;
        const bool numbers = content.find_first_not_of("0123456789 \t\r") == content.npos;
        return numbers || content.substr(begin).starts_with("rule-file-version-") ? "a rules file of Open MPI"
                                                                                  : nullptr;
    }
    return nullptr;
}

}}  // namespace collsched::COLLSCHED_ABI
