#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collsched/format/files/text_file.hpp"
#include "collsched/select/decision_table.hpp"

/// A row of a report that the library for MPI programs writes (COLLSCHED_REPORT): calls of one kind and size.
struct reported_calls {
    std::string function, form;                         ///< such as "allreduce" and "blocking"
    std::optional<collsched::collective> what;          ///< nothing: a rank has its own counts alone
    collsched::rank_t ranks = 0;                        ///< of the communicator; 0: unknown
    collsched::rank_t ranks_per_node = 1;               ///< largest number on one node
    bool commutative = true;                            ///< whether the operation is commutative
    std::optional<collsched::bytes_t> from, to;         ///< size class; nothing: unknown
    std::string algorithm, reason;                      ///< "native": the MPI's own
    const collsched::algorithm_entry* entry = nullptr;  ///< null: native, or not one of the list
    collsched::decision parameters;                     ///< only the values of parameters
    std::int64_t calls = 0, most_calls = 0;             ///< of all ranks, and of the rank with the most
    collsched::bytes_t bytes = 0;                       ///< of all calls together
    std::int64_t timed_calls = 0;                       ///< calls whose time was measured
    double seconds = 0, most_seconds = 0;               ///< of all ranks, and of the rank with the most

    /// Returns the mean size of a call, as decision tables have sizes: of all blocks together.
    collsched::bytes_t table_bytes() const;
};

/// A report.
struct call_report {
    std::string library, mpi;  ///< versions
    std::int64_t ranks = 1, nodes = 0;
    std::vector<reported_calls> rows;
};

/// Reads a report. Throws input_error for anything else.
call_report read_call_report(const collsched::text_file& file);
