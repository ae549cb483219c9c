#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/detail/rank_interval.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

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
