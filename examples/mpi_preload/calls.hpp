#pragma once

#include "arguments.hpp"
#include "communicator.hpp"
#include "environment.hpp"
#include "progress.hpp"

namespace collsched::preload {

/// The three forms of a call. Each carries it out if it can, sets `error` and returns true; else it leaves the call to
/// the MPI's own function, having touched nothing. Which, all ranks of the communicator decide alike.
bool run_blocking(const arguments& call, int* error);
bool run_nonblocking(const arguments& call, MPI_Request* request, int* error);
bool run_persistent(const arguments& call, MPI_Request* request, int* error);

/// `native` is the MPI's own function, `begin` its non-blocking form: a thread that blocks in the former could not
/// drive what is in flight.
template <class Native, class Begin>
int blocking(const arguments& call, Native native, Begin begin) {
    int error = MPI_SUCCESS;
    if (run_blocking(call, &error)) return error;
    if (nothing_in_flight()) return native();
    MPI_Request request = MPI_REQUEST_NULL;
    error = begin(&request);
    if (error != MPI_SUCCESS) return error;
    return drive([&](int* flag) { return PMPI_Test(&request, flag, MPI_STATUS_IGNORE); });
}

template <class Native>
int nonblocking(const arguments& call, MPI_Request* request, Native native) {
    int error = MPI_SUCCESS;
    return run_nonblocking(call, request, &error) ? error : native();
}

template <class Native>
int persistent(const arguments& call, MPI_Request* request, Native native) {
    int error = MPI_SUCCESS;
    return run_persistent(call, request, &error) ? error : native();
}

}  // namespace collsched::preload
