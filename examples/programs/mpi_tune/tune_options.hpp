#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collsched/cost/loggp.hpp"
#include "collsched/schedule/contract.hpp"

/// The checked command line.
struct tune_request {
    std::string out, state;  ///< files; no state: empty
    std::vector<collsched::collective> collectives;
    std::vector<std::int64_t> ranks, sizes;  ///< ascending
    std::int64_t budget = 60;                ///< seconds of the whole program
    std::size_t candidates = 4;
    std::int64_t patience = 30;                     ///< seconds without progress until the program ends
    std::optional<collsched::loggp_model> model{};  ///< nothing: measured
    bool keeps_order = false;
    std::string words;  ///< of the command line, for the description of the table
};

/// Reads the command line on `ranks` ranks. Returns nothing if it requests help, which is then printed. Throws
/// usage_error.
std::optional<tune_request> read_tune_request(int argc, char** argv, std::int64_t ranks);
