#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

/// Exact sum of up to 2^28 finite doubles, as a fixed-point number of 2208 bits. For tests: it shares no code with
/// binned_sum.
class exact_sum {
  public:
    void add(double x) {
        int exponent = 0;
        const auto mantissa = static_cast<std::int64_t>(std::frexp(x, &exponent) * 0x1p53);  // x = mantissa 2^(e - 53)
        const int below = std::max(0, -1074 - (exponent - 53));  // zeros below the smallest subnormal number
        const auto bits = static_cast<std::uint64_t>(std::abs(mantissa)) >> below;
        const int at = exponent - 53 + below + 1074;
        const auto limb = static_cast<std::size_t>(at / 32);
        const int within = at % 32;
        const std::uint64_t low = (bits & 0xffffffff) << within, high = (bits >> 32) << within;
        const std::int64_t sign = mantissa < 0 ? -1 : 1;
        limbs_[limb] += sign * static_cast<std::int64_t>(low & 0xffffffff);
        limbs_[limb + 1] += sign * static_cast<std::int64_t>((low >> 32) + (high & 0xffffffff));
        limbs_[limb + 2] += sign * static_cast<std::int64_t>(high >> 32);
    }
    void add(std::span<const double> all) {
        for (const double x : all) add(x);
    }

    /// Returns the sum, rounded to the nearest double, ties to even. A sum of 0 is +0.
    double value() const {
        exact_sum digits = *this;
        const bool negative = digits.carry() < 0;
        if (negative) {
            digits = *this;
            for (std::int64_t& limb : digits.limbs_) limb = -limb;
            digits.carry();
        }
        int last = static_cast<int>(32 * limbs) - 1;
        while (last >= 0 && !digits.bit(last)) --last;
        double head = 0;
        const int lowest = std::max(0, last - 52);
        for (int b = last; b >= lowest; --b) head = 2 * head + (digits.bit(b) ? 1 : 0);
        if (lowest > 0 && digits.bit(lowest - 1)) {
            bool below = false;
            for (int b = 0; b < lowest - 1; ++b) below = below || digits.bit(b);
            if (below || digits.bit(lowest)) ++head;
        }
        const double magnitude = std::ldexp(head, lowest - 1074);
        return negative ? -magnitude : magnitude;
    }

  private:
    static constexpr std::size_t limbs = 69;

    /// Makes every limb but the last one 0 .. 2^32 - 1. Returns the last one, which has the sign.
    std::int64_t carry() {
        for (std::size_t i = 0; i + 1 < limbs; ++i) {
            limbs_[i + 1] += limbs_[i] >> 32;
            limbs_[i] &= 0xffffffff;
        }
        return limbs_.back();
    }
    bool bit(int b) const { return (limbs_[static_cast<std::size_t>(b / 32)] >> (b % 32) & 1) != 0; }

    std::array<std::int64_t, limbs> limbs_{};  ///< limb i counts multiples of 2^(32 i - 1074)
};
