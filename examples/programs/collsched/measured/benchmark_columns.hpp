#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "measured_fields.hpp"

namespace collsched::measured {

/// The columns of the rows below a header in the output of a benchmark.
struct benchmark_columns {
    std::string_view text{};  ///< the header; empty: no header yet
    std::size_t count = 0;    ///< number of columns
    std::size_t time = 0;     ///< index of the time; 0: the header has no column of times, or an unknown column
    std::size_t check = 0;    ///< index of the result of a check of the data; 0: none
};

/// Returns whether a comment is a header of columns: "# Size ..." of OSU, or "#bytes ...", "#repetitions ..." or
/// "#Benchmarking #procs ..." of IMB. The last form is that of an IMB that Voltaire modified.
inline bool is_benchmark_header(const std::vector<std::string_view>& words) {
    if (words.empty()) return false;
    const std::string_view second = words.size() > 1 ? words[1] : std::string_view{};
    return (words[0] == "#" && second == "Size") || words[0].starts_with("#bytes") ||
           words[0].starts_with("#repetitions") || (words[0] == "#Benchmarking" && second == "#procs");
}

/// Returns the number of words from `first` on that are the name of a column of OSU, or 0. Blanks do not separate the
/// columns from the words within a name.
inline std::size_t osu_column_words(const std::vector<std::string_view>& words, std::size_t first) {
    constexpr std::string_view names[] = {
        "Size",       "Latency (us)", "Avg Latency(us)", "Min Latency(us)", "Max Latency(us)",
        "Iterations", "Validation",   "Transmit Size"};
    const auto has = [&](std::size_t i, std::string_view word) { return i < words.size() && words[i] == word; };
    for (const std::string_view name : names) {
        const std::size_t blank = name.find(' ');
        if (!has(first, name.substr(0, blank))) continue;
        if (blank == name.npos) return 1;
        if (has(first + 1, name.substr(blank + 1))) return 2;
    }
    const bool is_percentile = words[first][0] == 'P' && is_numeric(words[first].substr(1));  // "P99 Tail Lat(us)"
    return is_percentile && has(first + 1, "Tail") && has(first + 2, "Lat(us)") ? 3 : 0;
}

/// Reads a header of OSU, "# Size  Latency (us)" in version 3.1, "# Size  Avg Latency(us)" and further columns later.
inline benchmark_columns osu_columns(std::string_view text, const std::vector<std::string_view>& words) {
    benchmark_columns columns{.text = text};
    for (std::size_t i = 1, taken = 0; i < words.size(); i += taken, ++columns.count) {
        taken = osu_column_words(words, i);
        if (taken == 0) return {.text = text};
        if (columns.count == 1 && (words[i] == "Latency" || words[i] == "Avg")) columns.time = 1;
        if (words[i] == "Validation") columns.check = columns.count;
    }
    return columns;
}

/// Reads a header, such as "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]" of IMB.
/// @pre is_benchmark_header(words)
inline benchmark_columns columns_of(std::string_view text, const std::vector<std::string_view>& words) {
    if (words[0] == "#") return osu_columns(text, words);
    const auto index_of = [&](std::string_view name) {
        const auto at = static_cast<std::size_t>(std::find(words.begin(), words.end(), name) - words.begin());
        return words[0] == "#bytes" && at < words.size() ? at : 0;
    };
    return {.text = text, .count = words.size(), .time = index_of("t_max[usec]"), .check = index_of("defects")};
}

/// Returns whether the result of a check is that of correct data: "Pass" of OSU, or 0 defects of IMB.
inline bool passes_check(std::string_view result) {
    return result == "Pass" || (is_numeric(result) && result.find_first_not_of("0.") == result.npos);
}

}  // namespace collsched::measured
