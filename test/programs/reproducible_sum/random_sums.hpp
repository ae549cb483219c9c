#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "examples/programs/reproducible_sum/binned_sum.hpp"
#include "examples/programs/reproducible_sum/distributed_sums.hpp"

/// Random numbers for the tests of binned sums, and sums of them.

using random_bits = std::mt19937_64;
inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        quiet_nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double largest = std::numeric_limits<double>::max(),
                        smallest = std::numeric_limits<double>::denorm_min();

inline std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// A finite double of any bits: of all exponents, subnormal too.
inline double any_double(random_bits& random) {
    const std::uint64_t word = random(), exponent = random() % 2047;
    return std::bit_cast<double>((word & ~(std::uint64_t{0x7ff} << 52)) | exponent << 52);
}

/// A finite double with a biased exponent of lowest .. highest.
inline double double_between(random_bits& random, std::uint64_t lowest, std::uint64_t highest) {
    const std::uint64_t exponent = lowest + random() % (highest - lowest + 1);
    return std::bit_cast<double>((random() & ~(std::uint64_t{0x7ff} << 52)) | exponent << 52);
}

/// Numbers of one of several kinds; some kinds cancel.
inline doubles any_numbers(random_bits& random, std::size_t count) {
    const std::uint64_t kind = random() % 6, center = 60 + random() % 1900;
    doubles all;
    while (all.size() < count) {
        if (kind == 0) all.push_back(any_double(random));
        else if (kind == 1) all.push_back(double_between(random, 0, 3));
        else if (kind == 2) all.push_back(double_between(random, 2000, 2046));
        else if (kind == 3) all.push_back(double_between(random, 0, 50));
        else all.push_back(double_between(random, center - 50, center + 50));
        if (kind == 5) all.push_back(-all.back() * (1 + 0x1p-30));
    }
    all.resize(count);
    return all;
}

inline void shuffle(doubles& all, random_bits& random) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
}

template <std::size_t K = 3>
binned_sum<K> sum_of(std::span<const double> all) {
    binned_sum<K> sum;
    sum.deposit(all);
    return sum;
}
inline binned_sum<3> sum_of(std::initializer_list<double> all) { return sum_of(std::span(all.begin(), all.size())); }

template <std::size_t K>
binned_sum<K> one_by_one(std::span<const double> all) {
    binned_sum<K> sum;
    for (const double x : all) sum.deposit(x);
    return sum;
}
