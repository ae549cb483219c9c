#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/topology/switch_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Cluster for planners: switch tree and cost of messages. Its nodes are the ranks. A default model has no nodes.
struct cluster_model {
    topology::switch_tree switches{};  ///< switches above the ranks
    lob_model cost{};                  ///< overheads, latencies and bandwidths

    /// Returns the number of ranks.
    constexpr rank_t ranks() const { return cost.ranks(); }
    /// Returns the model whose ranks run on the nodes of a placement.
    /// @param where  node of each rank
    constexpr cluster_model placed(const topology::placement& where) const {
        return {switches.placed(where), cost.placed(where)};
    }
    /// Returns the first error in the tree, the costs or their sizes, or no error.
    constexpr argument_error check() const {
        if (argument_error error = switches.check()) return error;
        if (argument_error error = cost.check()) return error;
        if (switches.nodes() != ranks()) return {"nodes", switches.nodes(), "as many in the tree as in the model"};
        return {};
    }
    bool operator==(const cluster_model&) const = default;
};

}}  // namespace collsched::COLLSCHED_ABI
