#pragma once

#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scatter {

/// Scatter over a tree: the reverse of gather::over_tree, with the same rounds, bytes and scratch. Messages that the
/// gather's root copies one step after their arrival are packed by the scatter's root one step before they are sent.
template <rooted_tree Tree, gather::root_receive Receive = gather::root_receive::direct>
using over_tree = reversed<gather::over_tree<Tree, Receive>>;

}}}  // namespace collsched::COLLSCHED_ABI::scatter
