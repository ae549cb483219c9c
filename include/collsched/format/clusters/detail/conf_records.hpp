#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "collsched/format/files/text_file.hpp"
#include "collsched/format/text.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A setting KEY=VALUE, and the line of its key.
struct conf_setting {
    std::string key, value;
    int line;
};
using conf_record = std::vector<conf_setting>;

/// Returns whether a key is a keyword. Keywords are case-insensitive.
inline bool is_keyword(std::string_view key, std::string_view word) {
    return std::equal(key.begin(), key.end(), word.begin(), word.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

/// The text of one record, from one line or several, and the start of each line in it.
class conf_line {
  public:
    void append(std::string_view piece, int line) {
        starts_.emplace_back(text_.size(), line);
        text_ += piece;
    }
    bool empty() const { return starts_.empty(); }

    conf_record settings(const text_file& file) const {
        conf_record record;
        for (std::size_t at = skip_blanks(0); at < text_.size(); at = skip_blanks(at)) {
            const std::size_t begin = at;
            const auto refuse = [&] {
                const std::size_t end = std::min(text_.find_first_of(" \t", begin), text_.size());
                file.refuse(line_at(begin), json_text(text_.substr(begin, end - begin)), "KEY=VALUE");
            };
            at = std::min(text_.find_first_of(" \t=\"", at), text_.size());
            std::string key = text_.substr(begin, at - begin);
            at = skip_blanks(at);
            if (key.empty() || at == text_.size() || text_[at] != '=') refuse();
            at = skip_blanks(at + 1);
            const bool in_quotes = at < text_.size() && text_[at] == '"';
            at += in_quotes ? 1 : 0;
            std::size_t end = text_.find_first_of(in_quotes ? "\"" : " \t", at);
            if (in_quotes && end == text_.npos) refuse();
            end = std::min(end, text_.size());
            if (end == at && !in_quotes) refuse();
            record.push_back({std::move(key), text_.substr(at, end - at), line_at(begin)});
            at = end + (in_quotes ? 1 : 0);
        }
        return record;
    }

  private:
    std::size_t skip_blanks(std::size_t at) const { return std::min(text_.find_first_not_of(" \t", at), text_.size()); }
    int line_at(std::size_t offset) const {
        const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset,
                                            [](std::size_t x, const auto& start) { return x < start.first; });
        return std::prev(after)->second;
    }

    std::string text_;
    std::vector<std::pair<std::size_t, int>> starts_;
};

/// Returns the number of backslashes at the end of a text. An odd number escapes the next character.
inline std::size_t backslashes(std::string_view text) {
    const std::size_t other = text.find_last_not_of('\\');
    return text.size() - (other == text.npos ? 0 : other + 1);
}

/// Removes the comment, trailing blanks and escapes of a line. Returns the text, and whether the record continues in
/// the next line.
inline std::pair<std::string, bool> strip_conf(std::string_view line) {
    std::size_t comment = line.find('#');
    while (comment != line.npos && backslashes(line.substr(0, comment)) % 2 == 1) comment = line.find('#', comment + 1);
    line = line.substr(0, comment);
    line = line.substr(0, line.find_last_not_of(" \t\r\v\f") + 1);
    const bool goes_on = backslashes(line) % 2 == 1;
    if (goes_on) line.remove_suffix(1);
    std::string kept;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '\\') ++at;
        if (at == line.size()) break;
        kept += line[at];
    }
    return {kept, goes_on};
}

/// Returns the text after the word `include`, or nothing if the line is not an include line.
inline std::optional<std::string_view> included_name(std::string_view line) {
    constexpr std::string_view word = "include", blanks = " \t";
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (!is_keyword(line.substr(0, word.size()), word)) return {};
    line.remove_prefix(word.size());
    const std::size_t name = line.find_first_not_of(blanks);
    if (name == 0 || (name != line.npos && line[name] == '=')) return {};
    return name == line.npos ? std::string_view() : line.substr(name);
}

/// Returns the records of a Slurm configuration file. A record is one line, or several lines joined by backslashes at
/// their ends. Values may be quoted. An unescaped # begins a comment. join_included_files replaces include lines
/// beforehand. Source: Slurm's manual pages slurm.conf and topology.conf.
inline std::vector<conf_record> conf_records(const text_file& file) {
    std::vector<conf_record> records;
    detail::conf_line joined;
    const auto finish = [&] {
        if (conf_record record = joined.settings(file); !record.empty()) records.push_back(std::move(record));
        joined = {};
    };
    int line = 1;
    for (std::string_view unread = file.text; !unread.empty(); ++line) {
        const auto [piece, goes_on] = detail::strip_conf(take_line(unread));
        if (joined.empty() && detail::included_name(piece))
            file.refuse(line, "an include line", "none in a text that was not read from a file");
        joined.append(piece, line);
        if (!goes_on) finish();
    }
    if (!joined.empty()) finish();
    return records;
}

/// Joins a configuration file with the files that it includes.
class conf_joiner {
  public:
    explicit conf_joiner(std::string name) { joined_.name = std::move(name); }

    void append(const text_file& file, const std::filesystem::path& path) {
        if (open_.size() == most_levels) refuse_depth();
        open_.push_back(std::filesystem::weakly_canonical(path));
        bool continued = false;
        int line = 1;
        start(file.name, line);
        for (std::string_view unread = file.text; !unread.empty(); ++line) {
            const std::string_view text = take_line(unread);
            const auto [kept, goes_on] = strip_conf(text);
            if (const auto name = included_name(kept); name && !continued) {
                if (goes_on) file.refuse(line, "an include line that continues", "include FILE in one line");
                include(file, path, *name, line);
                start(file.name, line + 1);
            } else {
                put(text);
                continued = goes_on;
            }
        }
        if (continued) put("");  // a record ends at the end of its file
        open_.pop_back();
    }

    text_file take() { return std::move(joined_); }

  private:
    static constexpr std::size_t most_levels = 8, most_files = 1000, most_bytes = std::size_t{1} << 28;

    void start(const std::string& name, int line) { joined_.origins.push_back({line_, name, line}); }
    void put(std::string_view text) {
        if (joined_.text.size() + text.size() >= most_bytes)
            throw input_error(
                {.value = "more than 2^28 bytes with the included files", .expected = "fewer", .file = joined_.name});
        (joined_.text += text) += '\n';
        ++line_;
    }
    [[noreturn]] void refuse_depth() const {
        throw input_error({.value = "more levels of included files",
                           .expected = fmt::format("at most {}", most_levels),
                           .file = joined_.name});
    }

    void include(const text_file& from, const std::filesystem::path& path, std::string_view name, int line) {
        const auto refuse = [&](std::string_view problem, std::string_view expected) {
            from.refuse(line, "include", fmt::format("{}{}", json_text(name.substr(0, 256)), problem), expected);
        };
        constexpr std::string_view inside = "a file in the folder of this one or below it";
        const std::filesystem::path relative(name);
        if (name.empty() || relative.is_absolute() || std::ranges::count(relative, std::filesystem::path("..")) > 0)
            refuse("", inside);
        const std::filesystem::path found = path.parent_path() / relative;
        std::error_code error;
        if (!std::filesystem::is_regular_file(found, error)) refuse(", which is no file", inside);
        if (std::ranges::count(open_, std::filesystem::weakly_canonical(found)) > 0)
            refuse(", which includes itself", "files that do not include themselves");
        if (++files_ > most_files) refuse("", fmt::format("at most {} files", most_files));
        append(read_text_file(found), found);
    }

    text_file joined_;
    std::vector<std::filesystem::path> open_;
    std::size_t files_ = 0;
    int line_ = 1;  ///< next line of the joined text
};

/// Returns the Slurm configuration file of this path, with each line `include FILE` replaced by the content of FILE.
/// FILE is relative to the folder of the including file and must be inside that folder. The limits are 8 levels, 1000
/// files and 2^28 bytes. Include lines are an error if the path is not a regular file, such as standard input. Throws
/// input_error.
inline text_file join_included_files(text_file file, const std::filesystem::path& path) {
    std::error_code error;
    const std::string plain = std::filesystem::absolute(path, error).lexically_normal().string();
    if (plain.starts_with("/dev/") || plain.starts_with("/proc/") || !std::filesystem::is_regular_file(path, error))
        return file;
    detail::conf_joiner joiner(file.name);
    joiner.append(file, path);
    return joiner.take();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
