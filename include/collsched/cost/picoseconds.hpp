#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A time, or how long something takes: 10^-12 s.
using picoseconds = std::int64_t;

/// floor(bytes * rate / 1000) ps at `rate` femtoseconds a byte, both 0 or more; not ok() only where the result itself leaves
/// 64 bits. (bytes and rate are cut at 1000, so that no product on the way is larger than the result.)
constexpr checked time_at(bytes_t bytes, std::int64_t rate) {
    const bytes_t rest = bytes % 1000;
    return checked(bytes / 1000) * rate + checked(rest) * (rate / 1000) + checked(rest * (rate % 1000) / 1000);
}

/// G = round(10^9 / b) femtoseconds a byte at a bandwidth of b MB/s (10^6 bytes), 0 < b <= 2 * 10^9.
constexpr std::int64_t byte_fs_of(double megabytes_per_second) {
    return static_cast<std::int64_t>(1e9 / megabytes_per_second + 0.5);
}
/// Microseconds to the nearest picosecond, below about 9 * 10^12 us.
constexpr picoseconds ps_of_us(double us) { return static_cast<picoseconds>(us * 1e6 + 0.5); }

}}  // namespace collsched::COLLSCHED_ABI
