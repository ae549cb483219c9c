#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collsched/format.hpp"
#include "collsched/select.hpp"

#include "catalogue.hpp"
#include "cluster_options.hpp"
#include "foreign/openmpi_rules.hpp"
#include "foreign/foreign_algorithms.hpp"
#include "given_network.hpp"
#include "model_option.hpp"

/// The checked input of a table.
struct table_request {
    std::vector<collsched::collective> whats;
    std::vector<std::int64_t> ranks, sizes;
    any_model model;
    std::optional<placed_cluster> cluster;
    std::optional<given_network> network;
    collsched::bytes_t element = 1;
    /// Class for which reductions have further rows, of the algorithms `of_class`.
    collsched::association_class bits = collsched::association_class::any;
    std::vector<collsched::algorithm_entry> list, of_class;
    std::optional<collsched::foreign::openmpi_rules::release> openmpi;  ///< version for which rules are requested
    collsched::foreign::openmpi_rules::program_properties programs;
    bool mpich = false;
    bool curves = false;  ///< whether the times of all candidates are requested
};

/// The candidates for a size, the cheapest first.
struct priced_candidates {
    collsched::bytes_t bytes = 0;
    std::vector<collsched::choice::candidate> candidates;
};

/// A table, and its rules for other libraries.
struct finished_table {
    std::vector<collsched::decision> rows;
    std::vector<collsched::foreign::openmpi_rules::rule> openmpi;
    std::vector<collsched::foreign::foreign_rule> mpich;
    std::vector<collsched::foreign::openmpi_rules::collective>
        left_out;                           ///< collectives without a number that is correct for all programs
    std::vector<priced_candidates> curves;  ///< by size, ascending, if requested
};

/// Returns the times of the candidates over the size as SVG: the cheapest at any size, and the best others, up to eight.
/// Circles are at the sizes from which an algorithm is the cheapest.
std::string candidates_plot(const std::string& title, const std::vector<priced_candidates>& sizes);

/// Prices all of it. The first size of each number of ranks applies from 0 bytes on.
finished_table decide(const table_request& table);

/// A file of rules to read, from the options of `table`.
struct rules_request {
    std::string path;
    std::optional<collsched::foreign::openmpi_rules::release> version;  ///< of Open MPI, if given
    bool json = false;
    std::optional<std::string> header;  ///< file for a decision table as C++, if given
};

/// Prints the rows of a decision table, as JSON if `json`; or the selections of a rules file of Open MPI or MPICH,
/// then its findings. Returns the exit status.
int explain_rules(const rules_request& wanted);
