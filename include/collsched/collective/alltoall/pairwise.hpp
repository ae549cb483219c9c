#pragma once

#include "collsched/collective/alltoall/linear.hpp"
#include "collsched/core/bits.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

namespace detail {

/// The order of alltoall::pairwise.
struct pairwise_order {
    static constexpr const char* name = "pairwise";
    static constexpr const char* origin = "Thakur, Rabenseifner, Gropp 2005";
    static constexpr step_t window = 1;
    static constexpr rank_t target(rank_t p, rank_t r, step_t n) {
        return is_power_of_two(p) ? r ^ n : linear_order::target(p, r, n);
    }
    static constexpr rank_t source(rank_t p, rank_t r, step_t n) {
        return is_power_of_two(p) ? r ^ n : linear_order::source(p, r, n);
    }
};

}  // namespace detail

/// In step k rank r exchanges with r xor (k+1) if p is a power of two. Otherwise it sends to r+k+1 and receives from
/// r-k-1. Steps do not overlap.
///
/// Rounds p-1; every rank sends and receives all bytes but its own, in p-1 messages (fewer with empty blocks). Only the
/// own block is copied, in step 0. No scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005.
using pairwise = detail::direct<detail::pairwise_order>;

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
