#pragma once

#include <cstdint>
#include <limits>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// 64-bit integer that records overflow of sums and products. After an overflow ok() stays false.
class checked {
  public:
    /// Holds a number, without overflow.
    /// @param value  any number
    constexpr checked(std::int64_t value) : value_(value) {}

    /// Returns whether no operation has overflowed.
    constexpr bool ok() const { return ok_; }
    /// Returns the number.
    /// @pre ok()
    /// @return the exact result of all operations
    constexpr std::int64_t value() const { return value_; }

    /// Returns a + b. ok() is false after an overflow of this sum, of a or of b.
    friend constexpr checked operator+(checked a, checked b) {
        checked sum = a;
        sum.ok_ = !__builtin_add_overflow(a.value_, b.value_, &sum.value_) && a.ok_ && b.ok_;
        return sum;
    }

    /// Returns a * b. ok() is false after an overflow of this product, of a or of b.
    friend constexpr checked operator*(checked a, checked b) {
        checked product = a;
        product.ok_ = !__builtin_mul_overflow(a.value_, b.value_, &product.value_) && a.ok_ && b.ok_;
        return product;
    }

  private:
    std::int64_t value_;
    bool ok_ = true;
};

namespace detail {

/// Returns the value of `sum`, or the largest 64-bit integer after an overflow. As an offset that integer is outside
/// every buffer.
constexpr std::int64_t saturated(checked sum) {
    return sum.ok() ? sum.value() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
