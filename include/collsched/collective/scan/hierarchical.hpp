#pragma once

#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/scan/detail/in_runs.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scan {

/// Scans in runs of consecutive ranks on one node, and an exscan among the runs: see in_runs.
template <described Inner = recursive_doubling, described Outer = exscan::recursive_doubling>
using hierarchical = detail::in_runs<Inner, Outer>;

}}}  // namespace collsched::COLLSCHED_ABI::scan
