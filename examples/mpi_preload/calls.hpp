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

/// `native` is the MPI's own function, `begin` its non-blocking form. A thread that blocks in the former could not drive
/// what is in flight, and MPI does not match the one with the other: so, whatever is in flight on this rank, it is the
/// latter. (The former where there is nothing of this library.)
template <class Native, class Begin>
int blocking(const arguments& call, Native native, Begin begin) {
    int error = MPI_SUCCESS;
    if (run_blocking(call, &error)) return error;
    return mpi_is_up() ? complete(begin) : native();
}

template <class Native>
int nonblocking(const arguments& call, MPI_Request* request, Native native) {
    int error = MPI_SUCCESS;
    return request != nullptr && run_nonblocking(call, request, &error) ? error : native();
}

template <class Native>
int persistent(const arguments& call, MPI_Request* request, Native native) {
    int error = MPI_SUCCESS;
    return request != nullptr && run_persistent(call, request, &error) ? error : native();
}

}  // namespace collsched::preload
