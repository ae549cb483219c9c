#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// floor(log2 n), n >= 1. (By the builtin: constant evaluation pays for each of the calls in std::bit_width.)
constexpr int floor_log2(std::int64_t n) { return 63 - __builtin_clzll(static_cast<unsigned long long>(n) | 1); }

/// ceil(log2 n), n >= 1: the fewest rounds in which one message a round can reach n ranks.
constexpr int ceil_log2(std::int64_t n) { return n <= 1 ? 0 : floor_log2(n - 1) + 1; }

/// The largest power of two that is at most n, n >= 1.
constexpr std::int64_t floor_power_of_two(std::int64_t n) {
    return std::int64_t{1} << (63 - __builtin_clzll(static_cast<unsigned long long>(n) | 1));
}

constexpr bool is_power_of_two(std::int64_t n) { return n > 0 && floor_power_of_two(n) == n; }

}}  // namespace collsched::COLLSCHED_ABI
