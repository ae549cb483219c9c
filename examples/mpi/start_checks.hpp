#pragma once

namespace collsched::preload {

/// Ends the program with status 2 if the MPI that it uses is not the one that this library is for, by the version of the
/// MPI and the names of all loaded libraries. Local; before PMPI_Init.
void check_mpi();

/// Compares the fingerprints of all ranks of MPI_COMM_WORLD (fingerprint.hpp). Where they differ, or a rank does not
/// answer within COLLSCHED_INIT_SECONDS, one line names the ranks, and the program ends with status 2. Returns whether
/// `mine` is true on any rank.
///
/// Messages are point to point, along a binomial tree: rank 0's fingerprint to all, reports back to rank 0, and the
/// result to all. So 3 messages per rank but one, and at most 3 ceil(log2 p) of one rank.
bool check_ranks(bool mine);

}  // namespace collsched::preload
