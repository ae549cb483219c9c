#pragma once

#include "collsched/tree/planners/optimal.hpp"
#include "collsched/tree/planners/planner_list.hpp"
#include "collsched/tree/planners/refined.hpp"

namespace collsched::inline v0_1::planners {

/// Every planner.
using all = builders::with<refined, optimal>;

}  // namespace collsched::inline v0_1::planners
