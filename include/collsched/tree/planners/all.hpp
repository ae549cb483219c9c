#pragma once

#include "collsched/tree/planners/optimal.hpp"
#include "collsched/tree/planners/planner_entry.hpp"
#include "collsched/tree/planners/refined.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

/// Every planner.
using all = detail::builders::with<refined, optimal>;

}}}  // namespace collsched::COLLSCHED_ABI::planners
