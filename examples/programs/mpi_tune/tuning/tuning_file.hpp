#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/format/files/json_reader.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "collsched/format/rules/write_decisions.hpp"
#include "collsched/format/text.hpp"

namespace collsched::tuning {

/// The run that a file of measurements belongs to.
struct tuning_run {
    rank_t ranks = 1,          ///< number of ranks of the run, 1 or more
        ranks_per_node = 1;    ///< largest number of them on one node
    bool keeps_order = false;  ///< whether all measured schedules keep the order of operands
    std::string model{};       ///< model at the start, as of model_text()

    bool operator==(const tuning_run&) const = default;
};

/// Writes the first line of a file of measurements: {"format":"collsched tuning","version":1,"ranks":4,...}. Each
/// further line is a measured decision, by write_tuning_row(). read_tuning() reads the file.
/// @param out  output iterator for the text
/// @param run  the run
/// @return the iterator behind the text
template <class Out>
Out write_tuning_run(Out out, const tuning_run& run) {
    return fmt::format_to(
        out,
        FMT_COMPILE("{{\"format\":\"collsched tuning\",\"version\":1,\"ranks\":{},\"ranks_per_node\":{},"
                    "\"keep_order\":{},\"model\":{}}}\n"),
        run.ranks, run.ranks_per_node, run.keeps_order, json_text(run.model));
}

/// Writes a measured candidate as a line of its own.
/// @param out  output iterator for the text
/// @param row  the candidate, its median time, and the interval of the median; `bytes` is the measured size
/// @return the iterator behind the text
template <class Out>
Out write_tuning_row(Out out, const decision& row) {
    return fmt::format_to(write_decision(out, row), FMT_COMPILE("\n"));
}

/// The content of a file of measurements.
struct tuning_file {
    std::optional<tuning_run> run{};  ///< the run; nothing if the file ends within its first line
    std::vector<decision> rows{};     ///< measured candidates, in the order of the file
    std::size_t unfinished = 0;       ///< bytes behind the last end of a line, which were not read
};

/// Reads files of measurements.
class tuning_reader : json_reader {
  public:
    tuning_reader(const text_file& file, std::span<const algorithm_entry> list) : json_reader(file), list_(list) {}

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
        integer(needed(value, "version"), "version", 1, 1);
        const rank_t ranks = integer(needed(value, "ranks"), "ranks", 1);
        return {.ranks = ranks,
                .ranks_per_node = integer(needed(value, "ranks_per_node"), "ranks_per_node", 1, ranks),
                .keeps_order = truth(needed(value, "keep_order"), "keep_order"),
                .model = text(needed(value, "model"), "model")};
    }
    /// Reads a row, which must have a time, its interval, and a number of runs.
    decision measured(const json_value& value) const {
        const decision made = read_decision(file_, value, list_);
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

    std::span<const algorithm_entry> list_;
};

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
    tuning_file made = tuning_reader(lines, list).read();
    made.unfinished = file.text.size() - whole;
    return made;
}

}  // namespace collsched::tuning
