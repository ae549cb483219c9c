#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collsched/format.hpp"
#include "collsched/select.hpp"

#include "catalogue.hpp"
#include "cluster_options.hpp"
#include "foreign/openmpi_rules.hpp"
#include "foreign/foreign_algorithms.hpp"
#include "foreign/priced_cell.hpp"
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
    bool curves = false;                      ///< whether the times of the algorithms are requested
    collsched::choice::resources processors;  ///< without a time
    std::function<std::chrono::microseconds(collsched::rank_t)> budget;  ///< processor time of a cell, by its ranks

    /// Returns all cells in the order in which they are priced: the sizes of a cell's neighbors ascend.
    std::vector<collsched::foreign::priced_cell::calls> cells() const;
    /// Returns the request of a cell, without neighbors.
    collsched::choice::request request_of(const collsched::foreign::priced_cell::calls& of) const;
    /// Returns the algorithms that rows of a class may name.
    std::span<const collsched::algorithm_entry> algorithms_of(collsched::association_class level) const;
    /// Returns the numbers of Open MPI for a collective of its rules that are correct for the programs, with the numbers of
    /// requests in flight to price.
    std::vector<collsched::foreign::priced_cell::openmpi_price> openmpi_numbers(
        collsched::foreign::openmpi_rules::collective what) const;
    /// Returns the collectives of Open MPI's rules that a collective of this library decides; empty without rules.
    std::vector<collsched::foreign::openmpi_rules::collective> openmpi_collectives_of(collsched::collective what) const;
};

/// The times of algorithms for a size, the cheapest first.
struct algorithm_times {
    collsched::bytes_t bytes = 0;
    std::vector<collsched::foreign::priced_cell::algorithm_price> times;
};

/// A table, and its rules for other libraries.
struct finished_table {
    std::vector<collsched::decision> rows;
    std::vector<collsched::foreign::openmpi_rules::rule> openmpi;
    std::vector<collsched::foreign::foreign_rule> mpich;
    std::vector<collsched::foreign::openmpi_rules::collective>
        left_out;                         ///< collectives without a number that is correct for all programs
    std::vector<algorithm_times> curves;  ///< by size, ascending, if requested
};

/// Returns the times of algorithms over the size as SVG: the cheapest at any size, and the best others, up to eight.
/// Circles are at the sizes from which an algorithm is the cheapest.
std::string candidates_plot(const std::string& title, const std::vector<algorithm_times>& sizes);

/// Prices a cell, until its budget is over or the program is interrupted. Without that the result does not depend on the
/// number of threads.
/// @param neighbors  rows of the next smaller size; empty: none
collsched::foreign::priced_cell price_cell(const table_request& table, const collsched::foreign::priced_cell::calls& of,
                                           std::span<const collsched::decision> neighbors);

/// Returns the table of priced cells, in the order of cells(), some of which may be missing. The first size of each number
/// of ranks applies from 0 bytes on.
finished_table assemble(const table_request& table, std::span<const collsched::foreign::priced_cell> cells);

/// Rows of a decision table to price again, from the options of `table`.
struct checked_table {
    std::string file;          ///< of --check
    std::int64_t sample = 20;  ///< largest number of rows
    std::string conditions;    ///< model and options of this run, as in descriptions behind " --model "
    std::string files;         ///< read_files_text() of this run
};

/// Prices rows of a table again, and prints those whose time differs, and a model or file that differs from the
/// description of the table. Returns the exit status.
/// @param table  list, model, cluster and network of this run
int check_table(table_request table, const checked_table& wanted);

/// Returns the files that the program has read, each with a hash of its content: "cluster.json 0123456789abcdef".
std::string read_files_text();

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
