#pragma once

#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/scan/detail/in_runs.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scan {

/// A scan on every run of consecutive ranks of one node, an exscan of the runs' totals among the last ranks of the
/// runs, a broadcast of the preceding total in every run, and a local step that combines it before the own result.
/// Keeps the order of operands for any placement.
///
/// Rounds: those of Inner for the longest run, those of Outer among runs, and those of a binomial broadcast for the
/// longest run but the first. Scratch: m bytes for the preceding total, and that of the parts; a single run needs no
/// totals. With runs of n ranks on each of c nodes and the default parts, a rank sends at most m (ceil(log2 n) +
/// ceil(log2 c)) bytes. O(p) memory.
/// Source: MPICH, by runs of neighbors.
template <described Inner = recursive_doubling, described Outer = exscan::recursive_doubling>
using hierarchical = detail::in_runs<Inner, Outer>;

}}}  // namespace collsched::COLLSCHED_ABI::scan
