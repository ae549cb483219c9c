#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/cost/concepts.hpp"

namespace collsched::tuning {

/// The median of samples with a confidence interval that assumes no distribution: the interval of two order statistics
/// contains the median of the population with a probability of 95 % or more. Source: Hollander, Wolfe, Chicken,
/// Nonparametric Statistical Methods, section 3.6.
struct median_interval {
    static constexpr std::int64_t confident_samples = 6;  ///< smallest number of samples with a 95 % interval

    picoseconds median = 0,    ///< the median; of an even number of samples the lower of the two in the middle
        low = 0,               ///< lower end of the interval, a sample
        high = 0;              ///< upper end of the interval, a sample
    std::int64_t samples = 0;  ///< number of samples

    /// Returns the median of samples. O(n log n). Below confident_samples the interval is that of all samples, and its
    /// confidence is 1 - 2^(1-n).
    /// @param samples  times in any order
    /// @return all 0 without samples
    static median_interval of(std::vector<picoseconds> samples) {
        if (samples.empty()) return {};
        std::ranges::sort(samples);
        const auto n = static_cast<std::int64_t>(samples.size());
        const auto at = [&](std::int64_t i) { return samples[static_cast<std::size_t>(i)]; };
        const std::int64_t outside = samples_outside(n);
        return {at((n - 1) / 2), at(outside), at(n - 1 - outside), n};
    }
    /// Returns how many of n ordered samples are outside of the interval at either end: the largest d with
    /// P(B(n, 1/2) <= d) <= 2.5 %, or 0. O(n).
    /// @param n  number of samples, 1 or more
    static std::int64_t samples_outside(std::int64_t n) {
        constexpr double tail_limit = 0.025;
        const auto log_factorial = [](std::int64_t k) { return std::lgamma(static_cast<double>(k) + 1); };
        const double all = static_cast<double>(n) * std::log(2.0);
        double tail = 0;
        for (std::int64_t d = 0;; ++d) {  // the tail exceeds the limit before d reaches n / 2
            tail += std::exp(log_factorial(n) - log_factorial(d) - log_factorial(n - d) - all);
            if (tail > tail_limit) return std::max<std::int64_t>(0, d - 1);
        }
    }
    /// Returns whether all of this interval is above all of another one.
    /// @param other  another interval
    constexpr bool is_above(const median_interval& other) const { return low > other.high; }

    bool operator==(const median_interval&) const = default;
};

}  // namespace collsched::tuning
