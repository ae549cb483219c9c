#pragma once

#include <string>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "collsched/format/rules/write_decisions.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

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

}}  // namespace collsched::COLLSCHED_ABI
