#pragma once

#include "collsched/tree/planners/optimal.hpp"
#include "collsched/tree/planners/planner_entry.hpp"
#include "collsched/tree/planners/refined.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

/// List of every planner: all::entries, all::find(name), all::for_each(f), all::append<more...>.
using all = detail::builders::append<refined, optimal>;

}}}  // namespace collsched::COLLSCHED_ABI::planners
