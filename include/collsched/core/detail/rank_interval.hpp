#pragma once

#include "collsched/core/argument_error.hpp"
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

/// Order of ranks in which the two halves of each interval of the canonical tree (rank_interval) alternate: the first
/// rank of the lower half, the first of the upper half, the second of the lower half, and so on, each half in its own
/// such order. The virtual rank of a rank is its place in this order. For powers of two it has the bits of the rank in
/// reverse.
///
/// The places of an interval of depth k are those with one remainder modulo 2^k. Functions are O(log ranks)
/// unless noted. Parameter of relabel().
struct interval_order {
    rank_t ranks = 1;  ///< number of ranks, 1 or more

    /// Returns the rank at place v.
    /// @param v  place, 0 .. ranks-1
    constexpr rank_t rank(rank_t v) const {
        rank_interval found{0, ranks};
        for (; found.size > 1; v /= 2) found = v % 2 == 0 ? found.lower_half() : found.upper_half();
        return found.first;
    }
    /// Returns the place of rank r.
    /// @param r  rank, 0 .. ranks-1
    constexpr rank_t virtual_rank(rank_t r) const {
        rank_t place = 0, bit = 1;
        for (rank_interval found{0, ranks}; found.size > 1; found = found.half_with(r), bit *= 2)
            if (!found.is_lower(r)) place += bit;
        return place;
    }
    /// Calls f(r) for the ranks at places first .. end-1, in ascending order. O(log ranks + end - first).
    /// @param first  place, 0 .. ranks
    /// @param end    place behind the last, 0 .. ranks
    /// @param f      callable, f(rank_t)
    constexpr void visit(rank_t first, rank_t end, auto f) const { visit_places({0, ranks}, first, end, f); }
    /// Returns an error unless this is an order of `of` ranks.
    /// @param of  number of ranks, 1 or more
    constexpr argument_error check(rank_t of) const {
        return of == ranks ? argument_error{} : argument_error{"order", ranks, "as many entries as ranks"};
    }
    bool operator==(const interval_order&) const = default;

  private:
    static constexpr void visit_places(const rank_interval& of, rank_t first, rank_t end, auto& f) {
        if (first >= end) return;
        if (of.size == 1) return f(of.first);
        visit_places(of.lower_half(), (first + 1) / 2, (end + 1) / 2, f);
        visit_places(of.upper_half(), first / 2, end / 2, f);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
