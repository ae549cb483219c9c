#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/files/detail/json_reader.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "collsched/format/rules/write_tuning.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The content of a file of measurements.
struct tuning_file {
    std::optional<tuning_run> run{};  ///< the run; nothing if the file ends within its first line
    std::vector<decision> rows{};     ///< measured candidates, in the order of the file
    std::size_t unfinished = 0;       ///< bytes behind the last end of a line, which were not read
};

namespace detail {

/// Reads files of measurements.
class tuning_reader : json_reader {
  public:
    tuning_reader(const text_file& file, std::span<const algorithm_entry> list)
        : json_reader(file), rows_(file, list) {}

    tuning_file read() const {
        tuning_file made;
        for_each_line([&](const json_value& value) {
            if (made.run) made.rows.push_back(measured(value));
            else made.run = run(value);
        });
        return made;
    }

  private:
    tuning_run run(const json_value& value) const {
        check_keys(value, "the first line", {"format", "version", "ranks", "ranks_per_node", "keep_order", "model"},
                   "x_");
        const json_value& format = needed(value, "format");
        if (text(format, "format") != "collsched tuning")
            file_.refuse(format.line, "format", json_text(text(format, "format")), "\"collsched tuning\"");
        whole_number(file_, needed(value, "version"), "version", 1, 1);
        const rank_t ranks = whole_number(file_, needed(value, "ranks"), "ranks", 1);
        return {.ranks = ranks,
                .ranks_per_node = whole_number(file_, needed(value, "ranks_per_node"), "ranks_per_node", 1, ranks),
                .keeps_order = truth(needed(value, "keep_order"), "keep_order"),
                .model = text(needed(value, "model"), "model")};
    }
    /// Reads a row, which must have a time, its interval, and a number of runs.
    decision measured(const json_value& value) const {
        const decision made = rows_.row(value);
        if (made.origin != decision::source::measured)
            file_.refuse(value.line, "source", json_text(name_of(made.origin)), "\"measured\"");
        if (made.time == 0) file_.refuse(value.line, "time_us", "", "the median, above 0");
        if (made.time_low == 0 || made.time_low > made.time)
            file_.refuse(value.line, "time_low_us", microseconds(made.time_low), "above 0, at most time_us");
        if (made.time_high < made.time)
            file_.refuse(value.line, "time_high_us", microseconds(made.time_high), "time_us or more");
        if (made.runs == 0) file_.refuse(value.line, "runs", "0", "1 or more");
        return made;
    }

    decision_reader rows_;
};

}  // namespace detail

/// Reads a file of write_tuning_run() and write_tuning_row(). A last line without an end was being written when
/// its program ended: it is not read, and tuning_file::unfinished has its size. Throws input_error for another
/// mistake, such as an algorithm that `list` does not have or a time outside of its interval.
/// @param file  the text
/// @param list  algorithms that the rows may name
/// @return the run and its rows
inline tuning_file read_tuning(const text_file& file, std::span<const algorithm_entry> list) {
    const std::size_t end = file.text.rfind('\n');
    const std::size_t whole = end == file.text.npos ? 0 : end + 1;
    const text_file lines{file.name, file.text.substr(0, whole), file.origins};
    tuning_file made = detail::tuning_reader(lines, list).read();
    made.unfinished = file.text.size() - whole;
    return made;
}

}}  // namespace collsched::COLLSCHED_ABI
