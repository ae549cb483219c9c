#pragma once

/// MPI's header for the sources of this library. It makes the names PMPI_... the MPI library's own functions, which in a
/// program they are not: this library exports its functions by these names too, so that a tool that intercepts a
/// function MPI_... and calls PMPI_... calls this library. All sources include this header in place of mpi.h.

#include "native_function.hpp"
#include "pmpi_names.hpp"
