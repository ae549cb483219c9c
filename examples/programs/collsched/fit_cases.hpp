#pragma once

#include <map>
#include <string>
#include <vector>

#include "measured/measured_file.hpp"
#include "measured/measured_times.hpp"
#include "text_output.hpp"

/// The measurements of one cluster, without those of the MPI's own choice.
struct measured_machine {
    std::string name;
    std::vector<collsched::measured::measurement> times;
};

/// Returns whether an algorithm is the MPI's own choice, which may differ between cases: its name begins with "default".
bool is_default(const std::string& algorithm);

/// Returns the clusters of these rows, in the order of the rows.
std::vector<measured_machine> machines_of(const std::vector<collsched::measured::measured_row>& rows);

/// An algorithm for a case.
struct chosen_algorithm {
    collsched::measured::measured_row where;
    std::string algorithm;
};

/// Returns one choice per case, in the order of the cases, among the algorithms of the rows of the case. A case of
/// defaults only has none. `fitted` has the cluster of every row.
std::vector<chosen_algorithm> choose_algorithms(
    const std::vector<collsched::measured::measured_row>& rows,
    const std::map<std::string, collsched::measured::measured_times>& fitted);

/// Writes choices as CSV with the columns of a file of measurements.
void write_choices(text_output::iterator out, const std::vector<chosen_algorithm>& choices);
/// Writes measurements as CSV.
void write_measurements(text_output::iterator out, const std::vector<collsched::measured::measured_row>& rows);
