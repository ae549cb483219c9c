#pragma once

#include "collsched/collective/gather/planned.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::scatter {

/// Scatter down the tree that a planner makes for messages from the root: gather::planned backwards.
template <planner Planner>
using planned = reversed<gather::planned<Planner, direction::one_to_many>>;

}  // namespace collsched::inline v0_1::scatter
