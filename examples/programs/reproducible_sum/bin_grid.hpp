#pragma once

#include <array>
#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || __FINITE_MATH_ONLY__
#error "binned sums need IEEE 754 arithmetic: compile without -ffast-math and its parts"
#endif
static_assert(std::numeric_limits<double>::is_iec559, "binned sums need IEEE 754 doubles");
static_assert(FLT_EVAL_METHOD == 0, "binned sums need operations that round to double: compile with -mfpmath=sse");

/// The grid of bins: bin j holds multiples of its grain 2^(40 j - 1074). A slice of a number is what one bin holds of
/// it.
///
/// slice(x, j) is a function of x and j alone. It is 0 for each bin above bin_of(x). Below, the slice in bin j is the
/// rest of x after the bins above, rounded to the nearest multiple of the grain, ties to even; its magnitude is at most
/// 2^39 grains, and the rest after it at most half a grain.
namespace bin_grid {

inline constexpr std::size_t width = 40;         ///< bits per bin
inline constexpr std::size_t highest = 52;       ///< bins 0 .. 52 cover all finite doubles
inline constexpr int lowest_exponent = -1074;    ///< the grain of bin 0 is the smallest subnormal number
inline constexpr int scale_exponent = -128;      ///< bin 52 slices numbers times 2^-128, as its splitter overflows
inline constexpr double scaled_from = 0x1p1005;  ///< magnitude from which a number is in bin 52

/// Returns the binary exponent of the grain of a bin.
/// @param bin  0 .. 52
constexpr int grain_exponent(std::size_t bin) { return static_cast<int>(width * bin) + lowest_exponent; }

/// Returns the highest bin with a slice of x other than 0, or 1 for subnormal numbers and 0.
/// @param x  finite
/// @post |x| < 2^(grain_exponent(result) + 39)
constexpr std::size_t bin_of(double x) {
    const std::size_t exponent = std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff;
    return (exponent + 52) / width;
}

/// Returns 1.5 * 2^52 grains of a bin, times 2^scale. x + splitter rounds x to a multiple of the grain.
/// @param bin    0 .. 52
/// @param scale  0, or scale_exponent for bins 45 .. 52
constexpr double splitter(std::size_t bin, int scale = 0) {
    const auto exponent = static_cast<std::uint64_t>(static_cast<int>(width * bin) + 1 + scale);
    return std::bit_cast<double>(exponent << 52 | std::uint64_t{1} << 51);
}

/// Returns a sum of slices in grains.
/// @param sum       multiple of the grain, of at most 2^51 grains in magnitude
/// @param splitter  of the bin
constexpr std::int64_t grains(double sum, double splitter) {
    return std::bit_cast<std::int64_t>(sum + splitter) - std::bit_cast<std::int64_t>(splitter);
}

#if defined(__AVX__)
inline constexpr std::size_t vector_size = 32;  ///< bytes per vector register
#else
inline constexpr std::size_t vector_size = 16;
#endif
using vector_of_doubles [[gnu::vector_size(vector_size)]] = double;
using vector_of_words [[gnu::vector_size(vector_size)]] = std::int64_t;
inline constexpr std::size_t lanes = vector_size / sizeof(double);

template <class X>
X load(const double* from) {
    X x;
    std::memcpy(&x, from, sizeof x);
    return x;
}

/// largest := |x| where that is larger. NaNs change nothing.
template <class Words, class X>
[[gnu::always_inline]] inline void raise_to_magnitude(X& largest, const X& x) {
    const X magnitude = std::bit_cast<X>(std::bit_cast<Words>(x) & std::numeric_limits<std::int64_t>::max());
    largest = magnitude > largest ? magnitude : largest;
}

/// Returns the largest magnitude among the numbers that are no NaN, or 0.
/// Complexity: linear.
inline double largest_magnitude(std::span<const double> numbers) {
    vector_of_doubles even{}, odd{};  // two, since one would wait for itself
    std::size_t i = 0;
    for (; i + 2 * lanes <= numbers.size(); i += 2 * lanes) {
        raise_to_magnitude<vector_of_words>(even, load<vector_of_doubles>(&numbers[i]));
        raise_to_magnitude<vector_of_words>(odd, load<vector_of_doubles>(&numbers[i + lanes]));
    }
    double largest = 0;
    raise_to_magnitude<vector_of_words>(even, odd);
    for (std::size_t lane = 0; lane < lanes; ++lane) raise_to_magnitude<std::int64_t>(largest, double{even[lane]});
    for (; i < numbers.size(); ++i) raise_to_magnitude<std::int64_t>(largest, numbers[i]);
    return largest;
}

/// Adds the slices of x to sums.
template <class X, std::size_t K>
[[gnu::always_inline]] inline void add_slices(X x, const std::array<double, K>& splitters, std::array<X, K>& sums) {
    const auto add_slice = [&](double splitter, X& sum) {
        const X slice = (x + splitter) - splitter;
        sum += slice;
        x -= slice;
    };
    // A loop would stay one at -O2, and the sums in memory.
    [&]<std::size_t... k>(std::index_sequence<k...>) {
        (add_slice(splitters[k], sums[k]), ...);
    }(std::make_index_sequence<K>{});
}

/// Returns the sums of the slices of all numbers in K bins. The first is a NaN if one of the numbers is.
/// Complexity: linear, 4 K - 1 additions per number.
/// @param numbers    of magnitudes below 2^39 grains of the first bin; at most 2^12 numbers, so that all sums are exact
/// @param splitters  of K bins, from the highest one down
template <std::size_t K>
std::array<double, K> slice_sums(std::span<const double> numbers, const std::array<double, K>& splitters) {
    std::array<vector_of_doubles, K> sums_in_lanes{};
    std::array<double, K> sums{};
    std::size_t i = 0;
    for (; i + lanes <= numbers.size(); i += lanes)
        add_slices(load<vector_of_doubles>(&numbers[i]), splitters, sums_in_lanes);
    for (; i < numbers.size(); ++i) add_slices(numbers[i], splitters, sums);
    for (std::size_t k = 0; k < K; ++k)
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[k] += sums_in_lanes[k][lane];
    return sums;
}

}  // namespace bin_grid
