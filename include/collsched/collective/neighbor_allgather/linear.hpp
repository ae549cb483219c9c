#pragma once

#include "collsched/collective/neighbor_alltoall/linear.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace neighbor_allgather {

/// Every rank sends its block to all its targets, in one step.
///
/// Rounds 1 (0 if no two ranks are neighbors, or no bytes are exchanged), with one message per ordered pair of
/// neighbors and one edge per slot. A rank sends its block once for each out-slot to another rank, receives one block
/// for each in-slot from another rank, and copies it for each slot to itself. No scratch.
/// Source: folklore.
using linear = neighbor_alltoall::detail::in_one_step<collective::neighbor_allgather, slot_layout::gathered>;

}}}  // namespace collsched::COLLSCHED_ABI::neighbor_allgather
