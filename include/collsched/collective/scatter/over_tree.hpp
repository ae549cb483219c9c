#pragma once

#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::scatter {

/// Scatter over a tree: gather::over_tree backwards, with as many rounds and bytes. What the gather's root takes in by chains
/// or copies a step after it came, the scatter's root packs a step before it goes.
template <rooted_tree Tree, gather::intake How = gather::intake::direct>
using over_tree = reversed<gather::over_tree<Tree, How>>;

}  // namespace collsched::inline v0_1::scatter
