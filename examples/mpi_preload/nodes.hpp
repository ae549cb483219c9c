#pragma once

#include <mpi.h>

#include <vector>

#include "collsched/topology/placement.hpp"

namespace collsched::preload {

/// Determines which ranks of MPI_COMM_WORLD share a node. Collective over MPI_COMM_WORLD; called once.
/// @param beside          the ranks of MPI_COMM_WORLD on this node, in their order
/// @param ranks_per_node  value of COLLSCHED_RANKS_PER_NODE: so many consecutive ranks count as a node; 0: not set
void find_nodes(MPI_Comm beside, int ranks_per_node);

/// Returns the rank in a communicator of each rank of a group, MPI_UNDEFINED for those outside of it. Local.
std::vector<int> ranks_in(MPI_Comm comm, MPI_Group group);

/// Returns the node of each rank of a communicator, the same on all its ranks, without communication. Empty if unknown:
/// without find_nodes(), and if a rank belongs to another MPI_COMM_WORLD.
topology::placement placement_of(MPI_Comm comm);

}  // namespace collsched::preload
