#pragma once

#include <string>
#include <vector>

#include "native_mpi.hpp"

#include "collsched/topology/placement.hpp"

namespace collsched::preload {

/// The variable with the name of a host for each rank of MPI_COMM_WORLD, for tests.
inline constexpr const char* hosts_variable = "COLLSCHED_HOSTS";

/// Determines which ranks of MPI_COMM_WORLD share a node: those of one name in COLLSCHED_HOSTS, or else of one group.
/// Collective over MPI_COMM_WORLD; called once.
/// @param beside          the ranks of MPI_COMM_WORLD on this node, in their order
/// @param ranks_per_node  value of COLLSCHED_RANKS_PER_NODE: so many consecutive ranks count as a node; 0: not set
void find_nodes(MPI_Comm beside, int ranks_per_node);

/// Returns the rank in a communicator of each rank of a group, MPI_UNDEFINED for those outside of it. Local.
std::vector<int> ranks_in(MPI_Comm comm, MPI_Group group);

/// Returns the name of this rank's host: that of COLLSCHED_HOSTS, or of MPI_Get_processor_name.
/// @pre find_nodes() was called
std::string host_name();

/// Returns the rank in MPI_COMM_WORLD of each rank of a communicator; empty if one has none. Local.
std::vector<int> ranks_in_world(MPI_Comm comm);

/// Returns the node of each rank of a communicator, the same on all its ranks, without communication. Empty if unknown:
/// without find_nodes(), and if a rank belongs to another MPI_COMM_WORLD.
topology::placement placement_of(MPI_Comm comm);

}  // namespace collsched::preload
