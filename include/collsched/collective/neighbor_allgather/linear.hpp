#pragma once

#include "collsched/collective/neighbor_alltoall/linear.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace neighbor_allgather {

/// Every rank sends its block to all its targets, in one step.
///
/// Rounds 1 (0 where no two ranks are neighbors, or no bytes pass between them), with a message for every ordered pair
/// of neighbors and a transfer for every slot. A rank sends its block once for each out-slot that leads to another
/// rank, receives one for each in-slot that comes from another, and copies it for each slot that leads back to itself.
/// No scratch.
/// Source: folklore.
using linear = neighbor_alltoall::detail::in_one_step<collective::neighbor_allgather, slot_layout::gathered>;

}}}  // namespace collsched::COLLSCHED_ABI::neighbor_allgather
