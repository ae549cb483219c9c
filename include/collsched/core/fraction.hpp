#pragma once

#include <cstdint>

#include "collsched/core/checked.hpp"
#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns floor(a * b / c); not ok() only if that exceeds 63 bits. The product may have 126 bits. O(1) for products of
/// up to 63 bits, O(63) for others, on systems without integers of 128 bits too.
/// @pre a >= 0, b >= 0, c >= 1
constexpr checked mul_div(std::int64_t a, std::int64_t b, std::int64_t c) {
    if (const checked product = checked(a) * b; product.ok()) return product.value() / c;
    checked quotient = 0;
    const auto divisor = static_cast<std::uint64_t>(c);
    std::uint64_t remainder = 0;
    const auto add = [&](std::uint64_t more) {
        remainder += more;
        if (remainder < divisor) return;
        remainder -= divisor;
        quotient = quotient + 1;
    };
    for (int bit = 62; bit >= 0 && quotient.ok(); --bit) {
        quotient = quotient + quotient;
        add(remainder);
        if ((a >> bit & 1) == 0) continue;
        quotient = quotient + b / c;
        add(static_cast<std::uint64_t>(b % c));
    }
    return quotient;
}

/// Returns the greatest common divisor of two numbers that are 0 or more.
constexpr std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b) {
    while (b != 0) {
        const std::int64_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

}  // namespace detail

/// A fraction of 64-bit integers in lowest terms. Comparisons are exact.
class fraction {
  public:
    /// Constructs 0.
    constexpr fraction() = default;
    /// Constructs numerator / denominator, in lowest terms.
    /// @param numerator    above -2^63
    /// @param denominator  1 or more
    constexpr fraction(std::int64_t numerator, std::int64_t denominator = 1) {
        const std::int64_t common =
            detail::greatest_common_divisor(numerator < 0 ? -numerator : numerator, denominator);
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
        const std::int64_t quotient = a.floor(), other_quotient = b.floor();
        if (quotient != other_quotient) return quotient < other_quotient;
        // The parts below 1 compare as the reciprocals do in the opposite direction.
        const std::int64_t remainder = a.numerator_ - quotient * a.denominator_,
                           other_remainder = b.numerator_ - quotient * b.denominator_;
        if (remainder == 0 || other_remainder == 0) return remainder < other_remainder;
        return fraction(b.denominator_, other_remainder) < fraction(a.denominator_, remainder);
    }

  private:
    constexpr std::int64_t floor() const { return numerator_ / denominator_ - (numerator_ % denominator_ < 0 ? 1 : 0); }

    std::int64_t numerator_ = 0, denominator_ = 1;
};

namespace detail {

/// Returns the product of two positive fractions, or 0 if a part of it exceeds 63 bits.
constexpr fraction product(const fraction& a, const fraction& b) {
    const fraction left(a.numerator(), b.denominator()), right(b.numerator(), a.denominator());
    const checked numerator = checked(left.numerator()) * right.numerator();
    const checked denominator = checked(left.denominator()) * right.denominator();
    return numerator.ok() && denominator.ok() ? fraction(numerator.value(), denominator.value()) : fraction();
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
