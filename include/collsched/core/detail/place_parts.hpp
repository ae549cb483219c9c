#pragma once

#include "collsched/core/block_layout.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The parts of `ranks` blocks that the places of an interval hold. The places with equal remainder modulo 2^k are an
/// interval of depth k (interval_order). Each such interval of s places holds all blocks, cut into s parts of p/s
/// blocks, rounded: place v holds part floor(v / 2^k). All functions are O(1).
struct place_parts {
    rank_t ranks = 1;  ///< number of places and blocks, 1 or more

    /// Returns the number of places w with w mod 2^depth = v mod 2^depth.
    constexpr rank_t interval_size(rank_t v, step_t depth) const {
        return ((ranks - 1 - (v & ((rank_t{1} << depth) - 1))) >> depth) + 1;
    }
    /// Returns the first block of the part of place v in its interval of this depth, or of the next part.
    /// @param next  0 for the part of v, 1 for the next
    constexpr rank_t begin(rank_t v, step_t depth, rank_t next) const {
        // Part i of s begins at i p/s = i 2^depth + i (p - s 2^depth) / s, whose products are less than 2p.
        const rank_t size = interval_size(v, depth), i = (v >> depth) + next;
        const rank_t excess = i * (ranks - (size << depth)) + size / 2;
        return (i << depth) + (excess < 0 ? excess - (size - 1) : excess) / size;
    }
    /// Returns the blocks that place `src` holds at depth `before` and place `dst` at depth `after`.
    constexpr block_interval shared(rank_t src, step_t before, rank_t dst, step_t after) const {
        const rank_t first = larger(begin(src, before, 0), begin(dst, after, 0));
        const rank_t end = smaller(begin(src, before, 1), begin(dst, after, 1));
        return {first, larger(end - first, 0)};
    }

  private:
    static constexpr rank_t larger(rank_t a, rank_t b) { return a < b ? b : a; }
    static constexpr rank_t smaller(rank_t a, rank_t b) { return a < b ? a : b; }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
