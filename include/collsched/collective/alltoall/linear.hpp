#pragma once

#include "collsched/collective/alltoall/detail/direct.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

namespace detail {

/// The order of alltoall::linear.
struct linear_order {
    static constexpr const char* name = "linear";
    static constexpr const char* origin = "folklore";
    static constexpr step_t window = 0;
    static constexpr rank_t target(rank_t p, rank_t r, step_t n) { return wrap(r + n, p); }
    static constexpr rank_t source(rank_t p, rank_t r, step_t n) { return wrap(r - n, p); }
};

}  // namespace detail

/// Rank r sends to r+1, r+2, ... and receives from r-1, r-2, ..., without waiting unless a window is given.
///
/// Rounds p-1; every rank sends and receives all bytes but its own, in p-1 messages (fewer with empty blocks). Only the
/// own block is copied, in step 0. No scratch.
/// Source: folklore.
using linear = detail::direct<detail::linear_order>;

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
