#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Rank within the group of a collective, 0 .. p-1. The embedding runtime maps its own ids to these.
using rank_t = std::int64_t;

/// Number of a step, common to both ends of an edge. Steps order the edges of one rank and are not a global barrier.
using step_t = std::int64_t;

/// The steps first .. last. Empty if last < first.
struct step_range {
    step_t first = 0;  ///< first step
    step_t last = -1;  ///< last step, included

    /// Returns the first step >= k of the range, or `none`.
    /// @param k     lower bound of the result
    /// @param none  result if the range has no such step
    /// @return a step of the range, or `none`
    constexpr step_t from(step_t k, step_t none) const {
        if (k > last || last < first) return none;
        return k < first ? first : k;
    }
    /// Returns whether the range contains no step.
    /// @return last < first
    constexpr bool empty() const { return last < first; }
    bool operator==(const step_range&) const = default;
};

namespace detail {

/// Union of two step ranges.
struct step_ranges {
    step_range first_range{}, second_range{};

    /// Returns the first step >= k of either range, or `none`.
    constexpr step_t from(step_t k, step_t none) const {
        const step_t a = first_range.from(k, none), b = second_range.from(k, none);
        return a < b ? a : b;
    }
    /// Returns the ranges with step last - k in place of step k.
    constexpr step_ranges mirrored(step_t last) const {
        const auto turned = [last](step_range r) { return r.empty() ? r : step_range{last - r.last, last - r.first}; };
        return {turned(first_range), turned(second_range)};
    }
    /// Returns the smallest range that contains both.
    constexpr step_range hull() const {
        if (first_range.empty()) return second_range;
        if (second_range.empty()) return first_range;
        const step_t a = first_range.first, b = second_range.first, c = first_range.last, d = second_range.last;
        return {a < b ? a : b, c > d ? c : d};
    }
    bool operator==(const step_ranges&) const = default;
};

}  // namespace detail

/// Returns value mod n with one addition in place of a division.
/// @pre n > 0 and -n <= value < 2n
/// @param value  number in the range of the precondition
/// @param n      modulus
constexpr std::int64_t wrap(std::int64_t value, std::int64_t n) {
    if (value < 0) return value + n;
    return value >= n ? value - n : value;
}

}}  // namespace collsched::COLLSCHED_ABI
