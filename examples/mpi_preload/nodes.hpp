#pragma once

#include <mpi.h>

#include "collsched/topology/placement.hpp"

namespace collsched::preload {

/// Finds out which ranks of MPI_COMM_WORLD share a node: those of one MPI_COMM_TYPE_SHARED, or as many neighbors as
/// COLLSCHED_RANKS_PER_NODE says (0: not given). All ranks of MPI_COMM_WORLD call it together, once.
void find_nodes(int ranks_per_node);

/// The node of each rank of a communicator, the same on all its ranks. No communication. Without entries where
/// that is not known: without find_nodes(), and where a rank is of another MPI_COMM_WORLD.
topology::placement placement_of(MPI_Comm comm);

}  // namespace collsched::preload
