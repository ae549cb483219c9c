#pragma once

#include "native_mpi.hpp"

namespace collsched::preload {

/// Functions that make communicators, windows and files block until all ranks call them, and have no non-blocking form.
/// A rank in such a function makes no progress on operations in flight, which another rank may have to complete before
/// it calls the function. So all ranks meet before, and make progress until all have come.

/// Meets the ranks of a communicator.
void meet(MPI_Comm comm);
/// Meets the ranks of a communicator by barriers of the MPI library. Returns an error of them, or MPI_SUCCESS.
int meet_by_mpi(MPI_Comm comm);
/// Meets the ranks of a group, which all pass the same tag, as in MPI_Comm_create_group.
void meet(MPI_Comm comm, MPI_Group group, int tag);
/// Meets the ranks of the two communicators of MPI_Intercomm_create.
void meet(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag);

}  // namespace collsched::preload
