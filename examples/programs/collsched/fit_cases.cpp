#include "fit_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

using namespace collsched;
using namespace collsched::measured;

namespace {

constexpr auto case_columns = "machine,collective,nodes,ranks_per_node,gpu,mpi,bytes,algorithm";

std::string fields_of(const measured_row& row, const std::string& algorithm) {
    return fmt::format("{},{},{},{},{},{},{},{}", row.machine, row.collective, row.nodes, row.ranks_per_node, row.gpu,
                       row.mpi, row.time.where.bytes, algorithm);
}

/// Rows with equal keys are of one case.
std::string key_of(const measured_row& row) { return fmt::format("{},{}", fields_of(row, ""), row.time.where.ranks); }

}  // namespace

bool is_default(const std::string& algorithm) { return algorithm.starts_with("default"); }

std::vector<measured_machine> machines_of(const std::vector<measured_row>& rows) {
    std::vector<measured_machine> machines;
    for (const measured_row& row : rows) {
        auto found = std::ranges::find(machines, row.machine, &measured_machine::name);
        if (found == machines.end()) found = machines.insert(found, {row.machine, {}});
        if (!is_default(row.time.algorithm)) found->times.push_back(row.time);
    }
    return machines;
}

std::vector<chosen_algorithm> choose_algorithms(const std::vector<measured_row>& rows,
                                                const std::map<std::string, measured_times>& fitted) {
    struct candidates {
        const measured_row* where;
        std::vector<std::string> algorithms;
    };
    std::vector<candidates> cases;
    std::map<std::string, std::size_t> numbers;
    for (const measured_row& row : rows) {
        const auto [at, is_new] = numbers.try_emplace(key_of(row), cases.size());
        if (is_new) cases.push_back({&row, {}});
        if (!is_default(row.time.algorithm)) cases[at->second].algorithms.push_back(row.time.algorithm);
    }
    std::vector<chosen_algorithm> made;
    for (const candidates& one : cases) {
        if (one.algorithms.empty()) continue;
        const measured_times& times = fitted.at(one.where->machine);
        made.push_back({*one.where, one.algorithms[times.choose(one.where->time.where, one.algorithms)]});
    }
    return made;
}

void write_choices(text_output::iterator out, const std::vector<chosen_algorithm>& choices) {
    fmt::format_to(out, "{}\n", case_columns);
    for (const chosen_algorithm& one : choices) fmt::format_to(out, "{}\n", fields_of(one.where, one.algorithm));
}

void write_measurements(text_output::iterator out, const std::vector<measured_row>& rows) {
    fmt::format_to(out, "{},median_us,ranks\n", case_columns);
    for (const measured_row& row : rows)
        fmt::format_to(out, "{},{},{}\n", fields_of(row, row.time.algorithm), row.time.us, row.time.where.ranks);
}
