#pragma once

#include "arguments.hpp"

namespace collsched::preload {

/// The three forms of a call. Each carries it out if it can, sets `error` and returns true; else it leaves the call to
/// the MPI's own function, having touched nothing. Which, all ranks of the communicator decide alike.
bool run_blocking(const arguments& call, int* error);
bool run_nonblocking(const arguments& call, MPI_Request* request, int* error);
bool run_persistent(const arguments& call, MPI_Request* request, int* error);

}  // namespace collsched::preload
