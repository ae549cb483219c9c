#pragma once

#include <type_traits>

#include "collsched/core/bits.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// base^exponent, where it is below 2^63.
constexpr std::int64_t power(std::int64_t base, step_t exponent) {
    if (base == 2) return std::int64_t{1} << exponent;
    std::int64_t value = 1;
    for (step_t i = 0; i < exponent; ++i) value *= base;
    return value;
}

/// floor(log n) to a base of 2 or more, n >= 1.
constexpr step_t floor_log(std::int64_t base, std::int64_t n) {
    if (base == 2 && !std::is_constant_evaluated()) return floor_log2(n);
    step_t exponent = 0;
    for (; n >= base; n /= base) ++exponent;
    return exponent;
}

/// ceil(log n) to a base of 2 or more, n >= 1: the fewest rounds in which base-1 messages a round can reach n ranks.
constexpr step_t ceil_log(std::int64_t base, std::int64_t n) { return n <= 1 ? 0 : floor_log(base, n - 1) + 1; }

/// f(d * base^i) for the digits d = 1 .. base-1 for which it is below n, i < ceil_log(base, n): how far the messages of step
/// i go where ranks are reached digit by digit.
constexpr void digit_distances(std::int64_t base, step_t i, std::int64_t n, auto f) {
    const std::int64_t weight = power(base, i), last = (n - 1) / weight;
    for (std::int64_t digit = 1; digit < base && digit <= last; ++digit) f(digit * weight);
}

}}  // namespace collsched::COLLSCHED_ABI
