#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A fraction of 64-bit integers in lowest terms. Comparisons are exact.
class fraction {
  public:
    /// Constructs 0.
    constexpr fraction() = default;
    /// Constructs numerator / denominator, in lowest terms.
    /// @param numerator    above -2^63
    /// @param denominator  1 or more
    constexpr fraction(std::int64_t numerator, std::int64_t denominator = 1) {
        const std::int64_t common = gcd(numerator < 0 ? -numerator : numerator, denominator);
        numerator_ = numerator / common;
        denominator_ = denominator / common;
    }

    /// Returns the numerator in lowest terms.
    constexpr std::int64_t numerator() const { return numerator_; }
    /// Returns the denominator in lowest terms.
    /// @return 1 or more
    constexpr std::int64_t denominator() const { return denominator_; }
    /// Returns the nearest double, up to rounding of both parts.
    constexpr double value() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_); }

    bool operator==(const fraction&) const = default;
    /// Returns whether a is less than b.
    friend constexpr bool operator<(const fraction& a, const fraction& b) {
        __extension__ using wide = __int128;
        return static_cast<wide>(a.numerator_) * b.denominator_ < static_cast<wide>(b.numerator_) * a.denominator_;
    }

  private:
    static constexpr std::int64_t gcd(std::int64_t a, std::int64_t b) { return b == 0 ? a : gcd(b, a % b); }

    std::int64_t numerator_ = 0, denominator_ = 1;
};

}}  // namespace collsched::COLLSCHED_ABI
