#pragma once

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// An interval of consecutive ranks, an element of the canonical tree: the root is 0 .. p-1, and the children of an
/// interval of n >= 2 ranks are its first ceil(n/2) and its last floor(n/2) ranks. At each depth there are at most two
/// sizes, which differ by one. A rank is a leaf at depth floor(log2 p) or ceil(log2 p). All functions are O(1) unless
/// noted.
struct rank_interval {
    rank_t first = 0;  ///< first rank
    rank_t size = 1;   ///< number of ranks, 1 or more

    /// Returns the first ceil(size/2) ranks.
    /// @pre size >= 2
    constexpr rank_interval lower_half() const { return {first, size - size / 2}; }
    /// Returns the last floor(size/2) ranks.
    /// @pre size >= 2
    constexpr rank_interval upper_half() const { return {first + (size - size / 2), size / 2}; }
    /// Returns whether rank r is in the lower half.
    /// @param r  a rank of the interval
    constexpr bool is_lower(rank_t r) const { return r - first < size - size / 2; }
    /// Returns whether rank r is in the interval.
    /// @param r  any rank
    constexpr bool contains(rank_t r) const { return r >= first && r - first < size; }
    /// Returns the half that contains rank r.
    /// @pre size >= 2
    /// @param r  a rank of the interval
    constexpr rank_interval half_with(rank_t r) const { return is_lower(r) ? lower_half() : upper_half(); }
    /// Returns the half that does not contain rank r.
    /// @pre size >= 2
    /// @param r  a rank of the interval
    constexpr rank_interval half_without(rank_t r) const { return is_lower(r) ? upper_half() : lower_half(); }

    /// Returns the interval at this depth of the canonical tree of p ranks that contains rank r, or the leaf r above it.
    /// O(depth).
    ///
    /// @param p      number of ranks, 1 or more
    /// @param r      rank, 0 .. p-1
    /// @param depth  0 for the root
    static constexpr rank_interval at(rank_t p, rank_t r, step_t depth) {
        rank_interval found{0, p};
        for (; depth > 0 && found.size > 1; --depth) found = found.half_with(r);
        return found;
    }
    /// Returns the depth of the leaf r in the canonical tree of p ranks. O(log p).
    ///
    /// @param p  number of ranks, 1 or more
    /// @param r  rank, 0 .. p-1
    static constexpr step_t depth_of(rank_t p, rank_t r) {
        step_t depth = 0;
        for (rank_interval found{0, p}; found.size > 1; found = found.half_with(r)) ++depth;
        return depth;
    }
    bool operator==(const rank_interval&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
