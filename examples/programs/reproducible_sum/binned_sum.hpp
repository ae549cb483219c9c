#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "bin_grid.hpp"

/// Sum of doubles whose bits depend on the multiset of the numbers alone: neither on their order, nor on how they are
/// divided among accumulators and in which order these are added.
///
/// It holds exact sums of slices for K bins, the highest of which is the highest bin of all numbers so far. Slices
/// below are dropped. Equal multisets give equal bytes, so no renormalization is necessary. docs/reproducible_sum.md
/// has the proof and the limits. Size: 8 + 16 K bytes, without padding.
///
/// @pre rounding to nearest, and subnormal numbers not flushed to zero
/// @tparam K  bins, 2 .. 8: at least 40 (K - 1) bits below the largest number are exact
template <std::size_t K = 3>
class binned_sum {
    static_assert(2 <= K && K <= 8);

  public:
    /// Adds a number. Complexity: K slices.
    void deposit(double x) {
        seen_ |= valid() ? kind_of(x) : not_a_number;
        if (!valid() || !std::isfinite(x)) return;
        raise(bin_grid::bin_of(x));
        const int scale = top_ == bin_grid::highest ? bin_grid::scale_exponent : 0;
        double rest = scale == 0 ? x : x * 0x1p-128;  // inexact only for numbers without slices in these bins
        for (std::size_t i = 0; i < K; ++i) {
            const double splitter = bin_grid::splitter(top_ - i, scale), slice = (rest + splitter) - splitter;
            bins_[i].add(bin_grid::grains(slice, splitter));
            rest -= slice;
        }
    }

    /// Adds numbers. Complexity: linear, 4 K + 1 vectorized operations per number; K slices, one by one, per number of
    /// a block of 2048 that has a NaN, an infinity, a magnitude of 2^1005 or more, or zeros alone.
    void deposit(std::span<const double> numbers) {
        while (!numbers.empty()) {
            const auto block = numbers.first(std::min<std::size_t>(numbers.size(), 2048));
            if (!deposit_block(block))
                for (const double x : block) deposit(x);
            numbers = numbers.subspan(block.size());
        }
    }

    /// Adds the numbers of another accumulator. Associative and commutative, bit by bit.
    binned_sum& operator+=(const binned_sum& other) {
        seen_ |= other.seen_;
        if (!valid() || !other.valid()) {
            seen_ |= not_a_number;
            return *this;
        }
        raise(other.top_);
        const std::size_t below = top_ - other.top_;
        for (std::size_t i = below; i < K; ++i) bins_[i].add(other.bins_[i - below]);
        return *this;
    }
    friend binned_sum operator+(binned_sum a, const binned_sum& b) { return a += b; }

    /// Returns the sum of the slices, rounded once to the nearest double, ties to even.
    ///
    /// An empty sum is 0. A sum is -0 if all numbers are -0. It is a NaN if there was a NaN or both infinities, or if
    /// the accumulator is not valid; an infinity if there was one; and finite where no more than intermediate sums
    /// overflow.
    double value() const {
        constexpr std::uint32_t infinities = plus_infinity | minus_infinity;
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (!valid() || (seen_ & not_a_number) != 0 || (seen_ & infinities) == infinities)
            return std::numeric_limits<double>::quiet_NaN();
        if ((seen_ & infinities) != 0) return (seen_ & plus_infinity) != 0 ? infinity : -infinity;
        if ((seen_ & number) == minus_zero) return -0.0;
        const bool negative = digits(false)[0] < 0;
        const double magnitude = rounded(digits(negative));
        return negative ? -magnitude : magnitude;
    }

    /// Whether the accumulator can be of numbers. Bytes of a faulty sender may not; their value is a NaN.
    bool valid() const { return K - 1 <= top_ && top_ <= bin_grid::highest; }

    bool operator==(const binned_sum&) const = default;

  private:
    __extension__ using wide = __int128;
    __extension__ using unsigned_wide = unsigned __int128;

    /// Sum of slices in grains: primary + carry * 2^64, in two's complement.
    struct bin {
        std::uint64_t primary = 0;
        std::int64_t carry = 0;

        unsigned_wide grains() const {
            return static_cast<unsigned_wide>(static_cast<std::uint64_t>(carry)) << 64 | primary;
        }
        void set(unsigned_wide grains) {
            primary = static_cast<std::uint64_t>(grains);
            carry = static_cast<std::int64_t>(grains >> 64);
        }
        void add(std::int64_t more) { set(grains() + static_cast<unsigned_wide>(wide{more})); }
        void add(const bin& more) { set(grains() + more.grains()); }
        bool operator==(const bin&) const = default;
    };

    /// Kinds of numbers as bits. `number` is every finite number but -0. It has the bit of -0 too, so that the union of
    /// all kinds does not depend on where a -0 is.
    enum kind : std::uint32_t { not_a_number = 1, plus_infinity = 2, minus_infinity = 4, minus_zero = 8, number = 24 };

    static kind kind_of(double x) {
        if (std::isnan(x)) return not_a_number;
        if (std::isinf(x)) return x > 0 ? plus_infinity : minus_infinity;
        return x == 0 && std::signbit(x) ? minus_zero : number;
    }

    /// Makes room for slices of higher bins.
    void raise(std::size_t top) {
        if (top <= top_) return;
        const std::size_t by = std::min(top - top_, K);
        std::shift_right(bins_.begin(), bins_.end(), static_cast<std::ptrdiff_t>(by));
        std::fill_n(bins_.begin(), by, bin{});
        top_ = static_cast<std::uint32_t>(top);
    }

    /// Adds the numbers of a block, vectorized; or returns false if their sum needs more care, and adds none.
    bool deposit_block(std::span<const double> numbers) {
        const double largest = bin_grid::largest_magnitude(numbers);
        if (!valid() || largest == 0 || largest >= bin_grid::scaled_from || top_ == bin_grid::highest) return false;
        const auto top = std::max<std::size_t>(top_, bin_grid::bin_of(largest));
        std::array<double, K> splitters;
        for (std::size_t i = 0; i < K; ++i) splitters[i] = bin_grid::splitter(top - i);
        const auto sums = bin_grid::slice_sums(numbers, splitters);
        if (std::isnan(sums[0])) return false;
        raise(top);
        for (std::size_t i = 0; i < K; ++i) bins_[i].add(bin_grid::grains(sums[i], splitters[i]));
        seen_ |= number;
        return true;
    }

    /// Returns the sum, or its negation, in digits of base 2^40 from the highest one down. The first has the sign.
    std::array<wide, K> digits(bool negated) const {
        std::array<wide, K> all;
        unsigned_wide carry = 0;
        for (std::size_t i = K; i-- > 0;) {
            const unsigned_wide grains = bins_[i].grains();
            const auto sum = static_cast<wide>(carry + (negated ? -grains : grains));
            const wide low = sum & ((wide{1} << bin_grid::width) - 1);
            all[i] = i == 0 ? sum : low;
            carry = static_cast<unsigned_wide>(sum >> bin_grid::width);
        }
        return all;
    }

    /// Returns the double nearest to a sum of 0 or more. A subnormal sum has all its digits in `head`, and is exact.
    double rounded(const std::array<wide, K>& digits) const {
        auto head = static_cast<unsigned_wide>(digits[0]);
        int exponent = bin_grid::grain_exponent(top_);
        bool more = false;  // digits beyond head, which has 81 bits then
        for (const wide digit : std::span(digits).template subspan<1>()) {
            if (head >> 80 != 0) {
                more = more || digit != 0;
                continue;
            }
            head = head << bin_grid::width | static_cast<unsigned_wide>(digit);
            exponent -= static_cast<int>(bin_grid::width);
        }
        return std::ldexp(static_cast<double>(head | static_cast<unsigned_wide>(more)), exponent);
    }

    std::uint32_t top_ = K - 1;  ///< highest bin
    std::uint32_t seen_ = 0;     ///< kinds of the numbers
    std::array<bin, K> bins_{};  ///< bins top .. top - K + 1
};
