#pragma once

#include "arguments.hpp"

namespace collsched::preload {

/// The three forms of a call. Each executes the call if possible, sets `error` and returns true. Otherwise it returns
/// false without effect, and the MPI library's function must be called. All ranks of the communicator decide alike.
bool run_blocking(const arguments& call, int* error);
/// Executes a non-blocking call, as above.
bool run_nonblocking(const arguments& call, MPI_Request* request, int* error);
/// Makes a persistent request, as above.
bool run_persistent(const arguments& call, MPI_Request* request, int* error);

}  // namespace collsched::preload
