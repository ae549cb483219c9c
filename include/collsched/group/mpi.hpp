#pragma once

#include <mpi.h>

#include "collsched/execute/mpi.hpp"
#include "collsched/group/threads.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Runs body(group) on this rank of MPI_COMM_WORLD, with a group of all its ranks: all of them call it. As
/// run_threads(), between MPI_Init and MPI_Finalize, which it calls unless the program has.
/// @param options  of the group; `channels` has no effect: each of at most 15 groups at a time has 4
/// @param body     callable, body(auto& group); returns nothing, or an int: 0 for success
/// @return status of this rank
int run_mpi(group_options options, auto body) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized == 0) MPI_Init(nullptr, nullptr);
    int ranks = 1, rank = 0, status = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    options.channels = 4;
    {
        mpi_transport transport(comm, 64);
        group rank_group(transport, ranks, rank, options);
        status = detail::exit_status(body, rank_group);
        MPI_Barrier(comm);  // no rank withdraws the messages of failures while another one runs an operation
    }
    MPI_Comm_free(&comm);
    if (initialized == 0) MPI_Finalize();
    return status;
}

}}  // namespace collsched::COLLSCHED_ABI
