#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns floor(log2 n).
/// @param n  1 or more
/// Uses the builtin because constant evaluation pays for each call within std::bit_width. O(1).
constexpr int floor_log2(std::int64_t n) { return 63 - __builtin_clzll(static_cast<unsigned long long>(n) | 1); }

/// Returns ceil(log2 n): the fewest rounds that reach n ranks from one rank with one message per rank and round. O(1).
/// @param n  1 or more
constexpr int ceil_log2(std::int64_t n) { return n <= 1 ? 0 : floor_log2(n - 1) + 1; }

/// Returns the largest power of two that is at most n. O(1).
/// @param n  1 or more
constexpr std::int64_t floor_power_of_two(std::int64_t n) {
    return std::int64_t{1} << (63 - __builtin_clzll(static_cast<unsigned long long>(n) | 1));
}

/// Returns whether n is a power of two; false for n <= 0. O(1).
/// @param n  any number
constexpr bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

}}  // namespace collsched::COLLSCHED_ABI
