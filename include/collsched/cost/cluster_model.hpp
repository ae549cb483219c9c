#pragma once

#include "collsched/core/error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/topology/machine_tree.hpp"

namespace collsched::inline v0_1 {

/// What planners know of a cluster: what hangs on what, and what messages cost. Its computers are the ranks. Made without
/// anything it has none.
struct cluster_model {
    topology::machine_tree machines{};
    lob_model cost{};

    constexpr rank_t ranks() const { return cost.ranks(); }
    /// The cluster of ranks on these computers.
    constexpr cluster_model placed(const topology::placement& where) const {
        return {machines.placed(where), cost.placed(where)};
    }
    constexpr error check() const {
        if (error wrong = machines.check()) return wrong;
        if (error wrong = cost.check()) return wrong;
        if (machines.computers() != ranks())
            return {"computers", machines.computers(), "as many in the tree as in the model"};
        return {};
    }
    bool operator==(const cluster_model&) const = default;
};

}  // namespace collsched::inline v0_1
