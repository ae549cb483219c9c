#pragma once

#include <string>

#include "collsched/select/measured_case.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A row of a file of measurements: the time, and the texts of the row.
struct measured_row {
    measurement time{};            ///< case, algorithm and time; the time is 0 where the file has none
    std::string machine{};         ///< name of the cluster (column machine), or empty
    std::string collective{};      ///< name of the collective as the file spells it
    std::string nodes{};           ///< such as "64" or "4x4x4"; the number of ranks where the file has no nodes
    std::string ranks_per_node{};  ///< number of ranks per node, or empty
    std::string gpu{};             ///< whether buffers are in the memory of GPUs, or empty
    std::string mpi{};             ///< name of the MPI, or empty
    int line = 0;                  ///< line in the file, from 1
};

}}  // namespace collsched::COLLSCHED_ABI
