#pragma once

#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce {

/// First on every computer to its leader, then among the leaders, on its own computer the root: broadcast::hierarchical
/// backwards, combining. Keeps the order of operands where the root is 0, every computer holds neighbouring ranks, and
/// both parts keep it.
///
/// Rounds and bytes are those of the broadcast.
template <described Inner = broadcast::over_tree<trees::binomial>, described Outer = Inner>
using hierarchical = reversed<broadcast::hierarchical<Inner, Outer>>;

}  // namespace collsched::inline v0_1::reduce
