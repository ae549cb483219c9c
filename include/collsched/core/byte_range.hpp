#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A size or an offset in bytes.
using bytes_t = std::int64_t;

/// The bytes [offset, offset + size) of one buffer.
struct byte_range {
    bytes_t offset = 0;  ///< first byte
    bytes_t size = 0;    ///< number of bytes, 0 or more

    /// Returns the offset behind the last byte.
    /// @return offset + size
    constexpr bytes_t end() const { return offset + size; }
    bool operator==(const byte_range&) const = default;
};

/// Returns whether a and b share a byte. Empty ranges share none. O(1).
/// @param a  range of a buffer
/// @param b  range of the same buffer
constexpr bool overlap(byte_range a, byte_range b) {
    return a.size > 0 && b.size > 0 && a.offset < b.end() && b.offset < a.end();
}

}}  // namespace collsched::COLLSCHED_ABI
