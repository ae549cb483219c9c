#pragma once

#include <optional>

#include "collsched/cost/lob.hpp"
#include "collsched/group/choice_policy.hpp"
#include "collsched/simulate/contention_model.hpp"

namespace collsched::preload {

/// Returns the policy of the algorithm that is cheapest on a cluster, by simulation of messages that share its links. The
/// bounds of the search are numbers of ranks, edges and candidates, so that all ranks find the same. Calls whose sizes
/// have the same largest power of two share a search.
/// @param cluster  its nodes are the ranks of a communicator
/// @param shared   its links; none: too many pairs of nodes, and the policy has no schedule
choice_policy cheapest_on(const lob_model& cluster, const std::optional<contention_model>& shared);

}  // namespace collsched::preload
