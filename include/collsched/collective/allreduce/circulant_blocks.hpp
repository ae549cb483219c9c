#pragma once

#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/broadcast/circulant.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct circulant_blocks_label {
    static constexpr const char* name = "circulant-blocks";
    static constexpr const char* rounds = "2 (S-1 + ceil(log2 p))";
};

}  // namespace detail

/// reduce::circulant to rank 0, then broadcast::circulant, both in S = ceil(bytes / segment) pieces.
///
/// Rounds 2 (S-1 + ceil(log2 p)) for every p; every rank sends and receives at most 2S - 1 + ceil(log2 p) pieces, about
/// 2 m bytes for many pieces. No scratch. Commutative operations only.
/// Source: Traeff 2024, "Optimal broadcast schedules in logarithmic time with applications".
using circulant_blocks = by_reversal<broadcast::circulant, detail::circulant_blocks_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
