#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/topology/switch_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A cluster for planners: its switch tree, and the cost of messages. Its nodes are the ranks. Made without
/// anything it has none.
struct cluster_model {
    topology::switch_tree switches{};
    lob_model cost{};

    constexpr rank_t ranks() const { return cost.ranks(); }
    /// The cluster of ranks on these nodes.
    constexpr cluster_model placed(const topology::placement& where) const {
        return {switches.placed(where), cost.placed(where)};
    }
    constexpr argument_error check() const {
        if (argument_error error = switches.check()) return error;
        if (argument_error error = cost.check()) return error;
        if (switches.nodes() != ranks()) return {"nodes", switches.nodes(), "as many in the tree as in the model"};
        return {};
    }
    bool operator==(const cluster_model&) const = default;
};

}}  // namespace collsched::COLLSCHED_ABI
