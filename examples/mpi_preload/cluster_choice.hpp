#pragma once

#include <optional>
#include <string>

#include "selection.hpp"

namespace collsched::preload {

/// Selects the algorithm that is cheapest on the cluster of COLLSCHED_CLUSTER, by simulation of messages that share its
/// links. The bounds of the search are numbers of ranks, edges and candidates, so that all ranks find the same. Calls
/// whose sizes have the same largest power of two share a search.
/// @param skipped  receives the reason why there is no such algorithm; empty without a cluster
std::optional<choice> choose_by_cluster(const decision& how, const selection_input& from, std::string& skipped);

}  // namespace collsched::preload
