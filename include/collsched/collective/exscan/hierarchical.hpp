#pragma once

#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/scan/detail/in_runs.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace exscan {

/// Exscans in runs of consecutive ranks on one node, and an exscan among the runs: see scan::in_runs.
template <described Inner = recursive_doubling, described Outer = Inner>
using hierarchical = scan::detail::in_runs<Inner, Outer>;

}}}  // namespace collsched::COLLSCHED_ABI::exscan
