#pragma once

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/config.hpp"
#include "collsched/format/input_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The origin of the lines of a joined text: its line `first` is line `line` of the file `name`.
struct text_origin {
    int first;
    std::string name;
    int line;
};

}  // namespace detail

/// A text, and its name in error messages.
struct text_file {
    /// The presumable format of a text.
    enum class format {
        empty,       ///< blanks and comments only
        json,        ///< JSON
        xml,         ///< XML
        slurm_conf,  ///< topology.conf of Slurm
        yaml,        ///< YAML
        unknown      ///< none of these
    };

    /// A record of the files that readers read in this thread while the log exists. The files that a file includes are among
    /// them. Only the innermost log of a thread records. Logs must be destroyed in the reverse order of their construction.
    class log {
      public:
        log() : outer_(std::exchange(innermost(), this)) {}
        log(const log&) = delete;
        log& operator=(const log&) = delete;
        ~log() { innermost() = outer_; }

        /// Returns the names of the files in the order of reading, as the readers received them.
        /// @return reference to a member of this log
        const std::vector<std::filesystem::path>& files() const noexcept { return files_; }

        /// Adds a file to the innermost log of this thread, if there is one.
        /// @param file  name of a file that was read
        static void add(const std::filesystem::path& file) {
            if (innermost() != nullptr) innermost()->files_.push_back(file);
        }

      private:
        static const log*& innermost() {
            static thread_local const log* log = nullptr;
            return log;
        }

        mutable std::vector<std::filesystem::path> files_{};  // also grows in a log that is const
        const log* outer_;
    };

    std::string name,                            ///< name of the file
        text;                                    ///< its content
    std::vector<detail::text_origin> origins{};  ///< ascending in `first`; empty for a text of one file

    /// Throws an input_error. Without an argument, `value` is a noun phrase such as "two roots". An empty value is a
    /// missing one.
    /// @param line      line of the text, from 1; 0: the text as a whole
    /// @param argument  name of the element, or empty
    /// @param value     value found, or empty
    /// @param expected  valid values
    [[noreturn]] void refuse(int line, std::string_view argument, std::string_view value,
                             std::string_view expected) const {
        const detail::text_origin from = origin_of(line);
        throw input_error({std::string(argument), std::string(value), std::string(expected), from.name, from.line});
    }
    /// Throws an input_error without an argument.
    /// @param line      line of the text, from 1; 0: the text as a whole
    /// @param value     noun phrase of the mistake
    /// @param expected  valid values
    [[noreturn]] void refuse(int line, std::string_view value, std::string_view expected) const {
        refuse(line, "", value, expected);
    }
    /// Throws an input_error for an error at a line.
    /// @param line   line of the text, from 1; 0: the text as a whole
    /// @param error  an error
    [[noreturn]] void refuse(int line, const argument_error& error) const {
        const detail::text_origin from = origin_of(line);
        throw input_error(input_error::mistake::of(error, from.name, from.line));
    }
    /// Returns `FILE:LINE` for a line of the text.
    /// @param line  line of the text, from 1
    std::string place(int line) const {
        const detail::text_origin from = origin_of(line);
        return fmt::format("{}:{}", from.name, from.line);
    }
    /// Rejects a text with a zero byte, at which a parser would stop.
    /// @param expected  valid values, for the error
    void refuse_zero_bytes(std::string_view expected) const {
        const std::size_t zero = text.find('\0');
        if (zero == text.npos) return;
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(zero);
        refuse(1 + static_cast<int>(std::count(text.begin(), end, '\n')), "a zero byte", expected);
    }

  private:
    /// Returns the file of a line of the text, and the line within that file.
    detail::text_origin origin_of(int line) const {
        const auto after = std::upper_bound(origins.begin(), origins.end(), line,
                                            [](int x, const detail::text_origin& origin) { return x < origin.first; });
        if (after == origins.begin()) return {line, name, line};
        const detail::text_origin& from = *std::prev(after);
        return {line, from.name, from.line + (line - from.first)};
    }
};

/// Returns a text without blanks at its ends.
/// @param text  text of one line
inline std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Removes the first line from a text.
/// @param text  text, of which the following lines remain
/// @return the line without its end; empty if the text is empty
inline std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    return line;
}

namespace detail {

/// Returns the whole number that a text consists of, or nothing for another text and for more than 64 bits.
inline std::optional<std::int64_t> integer_of(std::string_view text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    return code == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace detail

/// Returns the content of a file of at most 2^28 bytes, without its byte order mark. Adds the file to the innermost text_file::log.
/// @param path  path of the file
/// @return name and content. Failure: throws input_error.
inline text_file read_text_file(const std::filesystem::path& path) {
    constexpr std::size_t most = std::size_t{1} << 28, piece = std::size_t{1} << 20;
    const auto refuse = [&](std::string_view problem) {
        throw input_error(
            {.value = std::string(problem), .expected = "a file that can be read", .file = path.string()});
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) refuse("a directory");
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) refuse(errno != 0 ? std::strerror(errno) : "a file that cannot be opened");
    text_file read{path.string(), {}};
    while (in && read.text.size() <= most) {
        const std::size_t before = read.text.size();
        read.text.resize(before + piece);
        in.read(read.text.data() + before, static_cast<std::streamsize>(piece));
        read.text.resize(before + static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) refuse("an error while reading");
    if (read.text.size() > most) refuse("more than 2^28 bytes");
    text_file::log::add(path);
    if (read.text.starts_with("\xEF\xBB\xBF")) read.text.erase(0, 3);
    return read;
}

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
