#pragma once

#include <cstdint>
#include <limits>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A 64-bit sum or product that remembers whether it left the 64 bits. Once it did, it stays so.
class checked {
  public:
    constexpr checked(std::int64_t value) : value_(value) {}

    constexpr bool ok() const { return ok_; }
    /// Meaningful only while ok().
    constexpr std::int64_t value() const { return value_; }

    friend constexpr checked operator+(checked a, checked b) {
        checked sum(0);
        sum.ok_ = !__builtin_add_overflow(a.value_, b.value_, &sum.value_) && a.ok_ && b.ok_;
        return sum;
    }

    friend constexpr checked operator*(checked a, checked b) {
        checked product(0);
        product.ok_ = !__builtin_mul_overflow(a.value_, b.value_, &product.value_) && a.ok_ && b.ok_;
        return product;
    }

  private:
    std::int64_t value_;
    bool ok_ = true;
};

namespace detail {

/// A sum or product that left 64 bits counts as the largest number there is: as an offset, the last byte there could be, where
/// no range fits in.
constexpr std::int64_t saturated(checked sum) {
    return sum.ok() ? sum.value() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
