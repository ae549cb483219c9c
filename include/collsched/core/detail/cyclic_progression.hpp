#pragma once

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The blocks first, first + stride, first + 2 stride, ... modulo p: `count` of them, which wrap at most once. The
/// stride is not 0 and may be negative.
struct cyclic_progression {
    rank_t first = 0, stride = 1, count = 0;

    /// Calls f(i) in ascending order for each i whose block is below `end`. O(calls of f).
    /// @pre 0 <= first < p, 0 <= end <= p, (count - 1) * |stride| < p
    constexpr void for_each_below(rank_t end, rank_t p, auto f) const {
        const rank_t turn = stride > 0 ? (p - 1 - first) / stride + 1 : first / -stride + 1;  // blocks before the end
        const rank_t before = turn < count ? turn : count;
        piece(0, before, first, end, f);
        piece(before, count, stride > 0 ? first - p : first + p, end, f);
    }

  private:
    /// Handles the blocks base + i * stride for i in [from, to), which do not wrap.
    constexpr void piece(rank_t from, rank_t to, rank_t base, rank_t end, auto& f) const {
        if (stride > 0) {
            const rank_t below = base < end ? (end - 1 - base) / stride + 1 : 0;
            if (below < to) to = below;
        } else if (base >= end) {
            const rank_t reached = (base - end) / -stride + 1;
            if (reached > from) from = reached;
        }
        for (rank_t i = from; i < to; ++i) f(i);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
