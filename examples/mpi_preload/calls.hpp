#pragma once

#include "arguments.hpp"
#include "descriptions.hpp"
#include "environment.hpp"
#include "progress.hpp"

namespace collsched::preload {

/// The three forms of a call. Each carries it out if it can, sets `error` and returns true; else it leaves the call to
/// the MPI's own function, having touched nothing. Which, all ranks of the communicator decide alike.
bool run_blocking(const arguments& call, int* error);
bool run_nonblocking(const arguments& call, MPI_Request* request, int* error);
bool run_persistent(const arguments& call, MPI_Request* request, int* error);

// What the interposed functions do. `given` are the arguments of MPI's function `What`, up to the communicator, and
// `Native` is the MPI's own function of the form.

/// `Begin` is the non-blocking form of `Native`. A thread that blocks in the latter could not drive what is in flight,
/// and MPI does not match the one with the other: so, whatever is in flight on this rank, it is `Begin`. (`Native`
/// where there is nothing of this library.)
template <function What, auto Native, auto Begin, class... Arguments>
int blocking(Arguments... given) {
    int error = MPI_SUCCESS;
    if (run_blocking(arguments_of(What, given...), &error)) return error;
    return native_or_driven<Native, Begin>(!mpi_is_up(), given...);
}

template <function What, auto Native, class... Arguments>
int nonblocking(MPI_Request* request, Arguments... given) {
    int error = MPI_SUCCESS;
    if (request != nullptr && run_nonblocking(arguments_of(What, given...), request, &error)) return error;
    return Native(given..., request);
}

template <function What, auto Native, class... Arguments>
int persistent(MPI_Info info, MPI_Request* request, Arguments... given) {
    int error = MPI_SUCCESS;
    if (request != nullptr && run_persistent(arguments_of(What, given...), request, &error)) return error;
    return Native(given..., info, request);
}

}  // namespace collsched::preload
