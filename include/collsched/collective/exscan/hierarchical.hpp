#pragma once

#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/scan/in_runs.hpp"

namespace collsched::inline v0_1::exscan {

/// Exscans in runs of neighbours on one computer, and among the runs: see scan::in_runs.
template <described Inner = recursive_doubling, described Outer = Inner>
using hierarchical = scan::in_runs<Inner, Outer>;

}  // namespace collsched::inline v0_1::exscan
