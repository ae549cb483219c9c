#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "work_sum.hpp"

namespace collsched::measured {

/// The rate of a kind of work before any measurement: a distribution whose logarithm is normal.
struct usual_rate {
    const char* name;
    const char* unit;
    double us;         ///< median, in microseconds per unit of work
    double deviation;  ///< standard deviation of the logarithm
};

/// The rates of usual networks, in the order of work_kind.
inline constexpr std::array<usual_rate, work_kinds> usual_rates = {{
    {"round", "us", 3.8, 0.67},
    {"one-way byte", "us/B", 9.5e-05, 0.2},
    {"two-way byte", "us/B", 0.0001, 0.8},
    {"block", "us", 0.21, 0.85},
    {"copied byte", "us/B", 0.00016, 4.1},
    {"combined byte", "us/B", 0.00049, 0.61},
    {"message of a port", "us", 3.5, 0.25},
    {"message of a fan", "us", 0.005, 0.39},
    {"byte of a small message", "us/B", 0.00026, 0.56},
    {"byte of a large message", "us/B", 8.4e-05, 0.23},
    {"byte through a shared interface", "us/B", 3.7e-05, 1.8},
    {"call", "us", 0.34, 0.35},
}};

/// Logarithms of the rates of a cluster.
using log_rates = work_amounts;

/// The logarithm of a time, and the parts of the kinds of work in the time, which are its derivatives by log_rates.
struct log_time {
    double value = 0;
    work_amounts parts{};
};

inline log_time time_of(const work_amounts& amounts, const log_rates& rates) {
    log_time made;
    double sum = 0;
    for (std::size_t k = 0; k < work_kinds; ++k) sum += made.parts[k] = amounts[k] * std::exp(rates[k]);
    for (double& part : made.parts) part /= sum;
    made.value = std::log(sum);
    return made;
}

inline log_rates usual_log_rates() {
    log_rates made{};
    for (std::size_t k = 0; k < work_kinds; ++k) made[k] = std::log(usual_rates[k].us);
    return made;
}

}  // namespace collsched::measured
