#pragma once

#include <bit>
#include <cstdint>

namespace collsched {

/// floor(log2 n), n >= 1.
constexpr int floor_log2(std::int64_t n) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1; }

/// ceil(log2 n), n >= 1: the fewest rounds in which one message a round can reach n ranks.
constexpr int ceil_log2(std::int64_t n) { return n <= 1 ? 0 : floor_log2(n - 1) + 1; }

/// The largest power of two that is at most n, n >= 1.
constexpr std::int64_t floor_power_of_two(std::int64_t n) { return std::int64_t{1} << floor_log2(n); }

constexpr bool is_power_of_two(std::int64_t n) { return n > 0 && floor_power_of_two(n) == n; }

}  // namespace collsched
