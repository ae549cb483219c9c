#pragma once

#include <optional>

#include "collsched/cost/lob.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/clusters/read_hosts.hpp"
#include "options.hpp"

/// A cluster file, and the placement of ranks on its nodes.
struct placed_cluster {
    collsched::cluster described;
    std::string placement;  ///< block, cyclic, or names of nodes
    std::string file;
    std::optional<collsched::cluster::rank_hosts> hosts{};  ///< the host of each rank, in place of `placement`
    bool has_overheads = false;  ///< whether an overhead is given, by the file or by an option

    /// Returns the cluster of p ranks on these nodes. Throws usage_error for an invalid placement.
    collsched::lob_model on(collsched::rank_t ranks) const;
    /// Returns `model` for p ranks with the links and overheads of the cluster. Throws usage_error if matrices
    /// describe more pairs of nodes than a network may have links.
    collsched::contention_model sharing(collsched::contention_model model, collsched::rank_t ranks) const;
    /// Returns the cluster with one node per rank, which has the name of the rank's node.
    collsched::cluster named(collsched::rank_t ranks) const;

    /// Returns the node of each rank. Throws usage_error for an invalid placement.
    collsched::topology::placement place(collsched::rank_t ranks) const;
    /// Returns the groups of ranks for hierarchical algorithms: the nodes; or, if no node hosts two ranks, the switches
    /// of the nodes.
    collsched::topology::placement groups(collsched::rank_t ranks) const;
};

/// The options that select a cluster.
class cluster_options {
  public:
    explicit cluster_options(CLI::App& command);
    /// Returns nothing if no file was given. Dependent options are then errors, except --placement and --hosts if
    /// `placement_alone`.
    std::optional<placed_cluster> read(bool placement_alone = false) const;
    /// Returns the text of --placement; empty if it was not given.
    std::string placement() const;
    /// Returns the given options of the cluster and their values, apart from its files, such as " --latency-us 2".
    std::string text() const;
    /// Returns the hosts of --hosts; nothing if it was not given. Throws usage_error for a malformed file.
    std::optional<collsched::cluster::rank_hosts> hosts() const;

  private:
    text_option file_, placement_, hosts_, overhead_, latency_, bandwidth_, uplink_latency_, uplink_bandwidth_,
        intra_node_latency_, intra_node_bandwidth_;
    flag_option intra_node_shared_;
    text_option topology_, switch_name_;
};
