#pragma once

#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/tree/flat.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier {

/// The root receives a signal from every rank, one per step in descending relative rank, then signals every rank in
/// ascending relative rank.
///
/// Rounds 2 (p-1), with one signal in each.
using linear = over_tree<trees::flat>;

}}}  // namespace collsched::COLLSCHED_ABI::barrier
