#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "measured_file.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched::measured {

inline constexpr rank_t most_measured_ranks = rank_t{1} << 30;
inline constexpr bytes_t most_measured_bytes = bytes_t{1} << 50;

/// Returns the words of a text.
inline std::vector<std::string_view> words_of(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    std::vector<std::string_view> words;
    for (std::size_t at = text.find_first_not_of(blanks); at != text.npos; at = text.find_first_not_of(blanks, at)) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

/// Returns whether a word has only the characters of a number.
inline bool is_numeric(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789.+-") == word.npos;
}

/// Returns the part of a value that an error shows.
inline std::string shown(std::string_view value) { return json_text(value.substr(0, 40)); }

/// Returns the whole number that a text is, or nothing.
inline std::optional<std::int64_t> whole_of(std::string_view text, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc{} || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
    return value;
}

inline std::int64_t read_whole(const text_file& file, int line, std::string_view name, std::string_view text,
                               std::int64_t least, std::int64_t most) {
    if (const auto value = whole_of(text, least, most)) return *value;
    file.refuse(line, name, text.empty() ? "" : shown(text), fmt::format("a whole number, {} to {}", least, most));
}

/// Returns a time in microseconds.
inline double read_time(const text_file& file, int line, std::string_view name, std::string_view text) {
    double value = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong == std::errc{} && end == text.data() + text.size() && value >= 1e-6 && value <= 1e12) return value;
    file.refuse(line, name, text.empty() ? "" : shown(text), "a time in microseconds, 1e-6 to 1e12");
}

/// Returns whether a text may be a field of CSV without quotes, on one line: it has no comma, quote or control character.
inline bool is_plain_field(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto code = static_cast<unsigned char>(c);
        return code < 0x20 || code == 0x7f || c == ',' || c == '"';
    });
}

/// Returns the number of nodes of a text such as "64" or "4x4x4".
inline rank_t read_nodes(const text_file& file, int line, std::string_view text) {
    rank_t nodes = 1;
    for (std::string_view rest = text;;) {
        const std::size_t end = std::min(rest.find('x'), rest.size());
        const auto extent = whole_of(rest.substr(0, end), 1, most_measured_ranks / nodes);
        if (!extent)
            file.refuse(line, "nodes", text.empty() ? "" : shown(text),
                        "a number or a shape such as 4x4x4, 2^30 nodes at most");
        nodes *= *extent;
        if (end == rest.size()) return nodes;
        rest.remove_prefix(end + 1);
    }
}

/// Returns the collective of a name such as "allreduce", "bcast" or "Reduce_scatter", or nothing.
inline std::optional<collective> collective_of(std::string_view text) {
    std::string name(text);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name == "bcast") return collective::broadcast;
    for (const collective kind :
         {collective::broadcast, collective::scatter, collective::gather, collective::allgather, collective::reduce,
          collective::allreduce, collective::reduce_scatter, collective::alltoall})
        if (name == name_of(kind)) return kind;
    return std::nullopt;
}

/// Returns whether benchmark programs count the bytes of one block where a measured_case counts those of all ranks.
inline bool counts_one_block(collective kind) {
    return kind == collective::allgather || kind == collective::alltoall || kind == collective::gather ||
           kind == collective::scatter;
}

}  // namespace collsched::measured
