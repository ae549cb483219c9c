#pragma once

#include <type_traits>

#include "collsched/core/bits.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns base^exponent. O(exponent); O(1) for base 2.
/// @pre the result is below 2^63
/// @param base      1 or more
/// @param exponent  0 or more
constexpr std::int64_t power(std::int64_t base, step_t exponent) {
    if (base == 2) return std::int64_t{1} << exponent;
    std::int64_t value = 1;
    for (step_t i = 0; i < exponent; ++i) value *= base;
    return value;
}

/// Returns floor(log n) to base `base`. O(log n).
/// @param base  2 or more
/// @param n     1 or more
constexpr step_t floor_log(std::int64_t base, std::int64_t n) {
    if (base == 2 && !std::is_constant_evaluated()) return floor_log2(n);
    step_t exponent = 0;
    for (; n >= base; n /= base) ++exponent;
    return exponent;
}

/// Returns ceil(log n) to base `base`: the fewest rounds that reach n ranks from one rank with base-1 messages per rank
/// and round. O(log n).
/// @param base  2 or more
/// @param n     1 or more
constexpr step_t ceil_log(std::int64_t base, std::int64_t n) { return n <= 1 ? 0 : floor_log(base, n - 1) + 1; }

/// Calls f(distance) for every distance d * base^i below n, d = 1 .. base-1, in ascending order: the distances of the
/// messages in step i of an algorithm that reaches ranks digit by digit.
/// @param base  2 or more
/// @param i     step, 0 .. ceil_log(base, n) - 1
/// @param n     number of ranks, 1 or more
/// @param f     callable, f(std::int64_t)
constexpr void digit_distances(std::int64_t base, step_t i, std::int64_t n, auto f) {
    const std::int64_t weight = power(base, i), last = (n - 1) / weight;
    for (std::int64_t digit = 1; digit < base && digit <= last; ++digit) f(digit * weight);
}

}}  // namespace collsched::COLLSCHED_ABI
