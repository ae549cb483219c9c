#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Time or duration in picoseconds (10^-12 s).
using picoseconds = std::int64_t;

/// Returns floor(bytes * rate / 1000) picoseconds; not ok() only if the result exceeds 64 bits.
///
/// @param bytes  0 or more
/// @param rate   femtoseconds per byte, 0 or more
constexpr checked time_at(bytes_t bytes, std::int64_t rate) {
    const bytes_t remainder = bytes % 1000;
    return checked(bytes / 1000) * rate + checked(remainder) * (rate / 1000) +
           checked(remainder * (rate % 1000) / 1000);
}

namespace detail {

/// Returns the time from the first to the last byte of a message: time_at(bytes - 1, rate), 0 for a signal.
///
/// @param bytes  0 or more
/// @param rate   femtoseconds per byte, 0 or more
constexpr checked stream_at(bytes_t bytes, std::int64_t rate) { return time_at(bytes - (bytes > 0 ? 1 : 0), rate); }

}  // namespace detail

/// Returns the rate round(10^9 / b) in femtoseconds per byte of bandwidth b.
/// @param megabytes_per_second  b in 10^6 bytes per second, above 0, at most 2 * 10^9
constexpr std::int64_t byte_fs_of(double megabytes_per_second) {
    return static_cast<std::int64_t>(1e9 / megabytes_per_second + 0.5);
}
/// Returns microseconds in picoseconds, rounded to nearest.
/// @param us  0 up to about 9 * 10^12
constexpr picoseconds ps_of_us(double us) { return static_cast<picoseconds>(us * 1e6 + 0.5); }

}}  // namespace collsched::COLLSCHED_ABI
