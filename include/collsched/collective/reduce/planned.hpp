#pragma once

#include "collsched/collective/broadcast/planned.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::reduce {

/// Reduce up the tree that a planner makes for messages to the root: broadcast::planned backwards, combining. Reorders the
/// operands.
template <planner Planner>
using planned = reversed<broadcast::planned<Planner, direction::many_to_one>>;

}  // namespace collsched::inline v0_1::reduce
