#pragma once

#include <bit>
#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Number of a communicator, positive and below 2^63. It consists of the path from the first communicator to this one:
/// the digit 1, and for child n of each level the Elias gamma code of n + 1. Such codes are prefix-free, so different
/// paths have different ids, and ranks that count children alike agree on ids without a message.
///
/// Bounds: child n takes 2 floor(log2(n + 1)) + 1 of 62 bits. One communicator has 2^31 - 1 children, and a chain of
/// first children has 62 levels. Numbers are not used again.
/// Source: P. Elias, Universal codeword sets and representations of the integers, IEEE Trans. Inf. Theory 21(2), 1975.
class communicator_id {
  public:
    /// Id 1, of the communicator of all ranks of a transport.
    constexpr communicator_id() = default;
    /// Id of this number.
    /// @param value  1 .. 2^63 - 1; another number gives an id that is not valid()
    constexpr explicit communicator_id(std::uint64_t value) : value_(value >> 63 == 0 ? value : 0) {}

    /// Returns whether this is the id of a communicator.
    /// @return false: the bits of its parent are used up
    constexpr bool valid() const { return value_ != 0; }
    /// Returns the number.
    /// @return 1 .. 2^63 - 1, or 0 if the id is not valid()
    constexpr std::uint64_t value() const { return value_; }
    /// Returns the id of a child. O(1).
    /// @param n  number of the child, 0 or more
    /// @return an id that no other path has; not valid() if it has more than 63 bits
    constexpr communicator_id child(std::uint64_t n) const {
        const std::uint64_t number = n + 1;
        const int bits = 2 * width(number) - 1;
        if (!valid() || number == 0 || width(value_) + bits > 63) return communicator_id(0);
        return communicator_id(value_ << bits | number);
    }

    bool operator==(const communicator_id&) const = default;

  private:
    static constexpr int width(std::uint64_t value) { return 64 - std::countl_zero(value); }

    std::uint64_t value_ = 1;
};

}}  // namespace collsched::COLLSCHED_ABI
