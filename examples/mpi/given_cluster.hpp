#pragma once

#include <memory>
#include <span>
#include <string>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/group/choice_policy.hpp"
#include "native_mpi.hpp"

namespace collsched::preload {

/// The variable with the path of a cluster file, which rank 0 of MPI_COMM_WORLD reads.
inline constexpr const char* cluster_variable = "COLLSCHED_CLUSTER";

/// The part of the cluster on which the ranks of a communicator run.
struct ranks_on_cluster {
    lob_model model;             ///< its nodes are the ranks
    topology::placement groups;  ///< for two-level algorithms: nodes, or switches if no node hosts two ranks
    choice_policy cheapest;      ///< see cheapest_on()
};

/// Reads the cluster file on rank 0, broadcasts it, and searches the node of every rank by the name of its host. A mistake
/// in the file, and a host that is not in it, end the program with status 2 after one line. Collective over MPI_COMM_WORLD;
/// called once, after find_nodes().
void share_cluster();

/// Returns whether a cluster was read.
bool has_cluster();

/// Returns a phrase with the path and the number of nodes of the cluster for the first line of output, empty without one.
std::string cluster_text();

/// Returns the cluster of a communicator, without communication; null without a cluster, or if a rank belongs to another
/// MPI_COMM_WORLD.
std::unique_ptr<ranks_on_cluster> cluster_of(MPI_Comm comm);

/// Returns the algorithms that are planned for a cluster, which variables and info keys may name with COLLSCHED_CLUSTER;
/// without it none.
std::span<const algorithm_entry> planned_algorithms();

}  // namespace collsched::preload
