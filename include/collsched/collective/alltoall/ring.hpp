#pragma once

#include "collsched/collective/alltoall/linear.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

namespace detail {

/// The order of alltoall::ring.
struct ring_order : linear_order {
    static constexpr const char* name = "ring";
    static constexpr step_t window = 1;
};

}  // namespace detail

/// In step k rank r sends to r+k+1 and receives from r-k-1. Steps do not overlap.
///
/// Rounds p-1; every rank sends and receives all bytes but its own, in p-1 messages (fewer with empty blocks). Only the
/// own block is copied, in step 0. No scratch.
/// Source: folklore.
using ring = detail::direct<detail::ring_order>;

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
