#pragma once

#include <optional>

#include "collsched/cost/cluster_model.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/format/cluster.hpp"
#include "options.hpp"

/// A cluster file, and ranks on its nodes.
struct placed_cluster {
    collsched::cluster described;
    std::string placement;  ///< block, cyclic, or names of nodes
    std::string file;

    /// The cluster of p ranks on these nodes. A placement that cannot be is a mistake.
    collsched::cluster_model on(collsched::rank_t ranks) const;
    /// Messages of p ranks that share its links: `model` with these and its overheads. A cluster without links is a mistake.
    collsched::contention_model sharing(collsched::contention_model model, collsched::rank_t ranks) const;
    /// As described, for these ranks: every rank is called by its node's name.
    collsched::cluster named(collsched::rank_t ranks) const;

    /// Which of the nodes each rank is on. What cannot be is a mistake.
    collsched::topology::placement place(collsched::rank_t ranks) const;
};

/// The options that say which cluster is meant.
class cluster_options {
  public:
    explicit cluster_options(CLI::App& command);
    /// None if no file was given; then the options beside it are mistakes, but that for the placement where it may
    /// stand alone.
    std::optional<placed_cluster> read(bool placement_alone = false) const;
    /// As it was typed; empty if none was given.
    std::string placement() const;

  private:
    text_option file_, placement_, overhead_, latency_, bandwidth_, uplink_latency_, uplink_bandwidth_, topology_,
        switch_name_;
};
