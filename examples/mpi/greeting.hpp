#pragma once

#include <string>

namespace collsched::preload {

class communicator_state;

/// Returns the version of this library, such as "0.1.0".
std::string library_version();
/// Returns the name and version of the MPI whose functions are called, such as "Open MPI v4.1.4". This function of MPI has
/// no handle, so it may be called before MPI_Init, and in the program of another MPI.
std::string mpi_version();
/// Returns the line at MPI_Init on MPI_COMM_WORLD: versions, ranks, nodes, table and variables.
std::string greeting(communicator_state& world);

}  // namespace collsched::preload
