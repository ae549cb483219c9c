#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/format/files/text_file.hpp"

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
    for (std::size_t begin = 0; begin < file.text.size(); ++line) {
        const std::size_t end = std::min(file.text.find('\n', begin), file.text.size());
        const auto [piece, goes_on] = detail::strip_conf(std::string_view(file.text).substr(begin, end - begin));
        if (joined.empty() && detail::included_name(piece))
            file.refuse(line, "an include line", "none in a text that was not read from a file");
        joined.append(piece, line);
        if (!goes_on) finish();
        begin = end + 1;
    }
    if (!joined.empty()) finish();
    return records;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
