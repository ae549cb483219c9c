#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rate_fit.hpp"
#include "measured_case.hpp"

namespace collsched::measured {

/// Times of collectives on one cluster, estimated from measurements of some of them. A time is that of the work of the
/// algorithm (rounds, bytes, copies, combinations, ...) under rates of the cluster, times a correction of the
/// algorithm, which measurements at similar sizes and numbers of ranks determine. Rates and corrections start from
/// those of usual networks. Source: Gaussian process regression (Rasmussen, Williams 2006, chapter 2), on the
/// logarithms of times.
class measured_times {
  public:
    /// Largest number of measurements of a cluster.
    static constexpr std::size_t most_measurements = 4096;

    /// A rate of the cluster.
    struct rate {
        const char* name;  ///< kind of work, such as "round"
        const char* unit;  ///< "us" or "us/B"
        double value;      ///< microseconds per unit of work
        double usual;      ///< the same for usual networks, before any measurement
    };
    /// The correction of an algorithm.
    struct correction {
        collsched::collective collective;  ///< the collective
        std::string algorithm;             ///< name of the algorithm
        std::size_t measurements;          ///< number of its measurements
        double factor;                     ///< geometric mean of measured times over times under the rates alone
        double error;  ///< geometric standard deviation of measured times from estimates by all other times
    };
    /// An estimated time.
    struct estimate {
        double us;         ///< median in microseconds
        double deviation;  ///< standard deviation of its logarithm relative to other algorithms of the case
        double score;      ///< logarithm of the time, plus a part that grows with its uncertainty; the least is chosen
    };

    /// Estimates rates and corrections. O(n^3) for n measurements.
    /// @param times  measurements of one cluster
    /// @pre at most `most_measurements`; every time is finite and more than 0
    explicit measured_times(std::span<const measurement> times)
        : times_(times.begin(), times.end()), fit_(points_of(times), logs_of(times)) {}

    /// Returns the estimated time of an algorithm. O(n^2) for n measurements.
    /// @param where      the case
    /// @param algorithm  name of the algorithm, measured or not
    estimate at(const measured_case& where, std::string_view algorithm) const {
        const rate_fit::prediction found = fit_.predict(codes_.find(where, algorithm));
        const double variance = std::max(found.variance, 0.0);
        return {std::exp(found.log_us), std::sqrt(variance), found.log_us + time_covariance::risk / 2 * variance};
    }

    /// Returns the index of the algorithm with the least score; the first of equal ones.
    /// @param where       the case
    /// @param algorithms  names of algorithms
    /// @pre algorithms is not empty
    std::size_t choose(const measured_case& where, std::span<const std::string> algorithms) const {
        std::vector<double> scores;
        for (const std::string& algorithm : algorithms) scores.push_back(at(where, algorithm).score);
        return static_cast<std::size_t>(std::ranges::min_element(scores) - scores.begin());
    }

    /// Returns the rates of the cluster.
    std::vector<rate> rates() const {
        std::vector<rate> made;
        for (std::size_t k = 0; k < work_kinds; ++k) {
            const usual_rate& usual = usual_rates[k];
            made.push_back({usual.name, usual.unit, std::exp(fit_.rates()[k]), usual.us});
        }
        return made;
    }

    /// Returns the correction of every measured algorithm, by collective and name. O(n^3) for n measurements.
    std::vector<correction> corrections() const {
        struct sums {
            std::size_t count = 0;
            double offset = 0, error = 0;
        };
        std::map<std::pair<collective, std::string>, sums> found;
        const std::vector<double> deviations = fit_.deviations();
        for (std::size_t i = 0; i < times_.size(); ++i) {
            const time_point& point = fit_.points()[i];
            sums& into = found[{times_[i].where.collective, times_[i].algorithm}];
            ++into.count;
            into.offset += std::log(times_[i].us) - time_of(point.amounts, fit_.rates()).value;
            into.error += deviations[i] * deviations[i];
        }
        std::vector<correction> made;
        for (const auto& [key, sum] : found) {
            const auto count = static_cast<double>(sum.count);
            made.push_back({key.first, key.second, sum.count, std::exp(sum.offset / count),
                            std::exp(std::sqrt(sum.error / count))});
        }
        return made;
    }

  private:
    std::vector<time_point> points_of(std::span<const measurement> times) {
        std::vector<time_point> points;
        for (const measurement& one : times) points.push_back(codes_.add(one.where, one.algorithm));
        return points;
    }
    static std::vector<double> logs_of(std::span<const measurement> times) {
        std::vector<double> logs;
        for (const measurement& one : times) logs.push_back(std::log(one.us));
        return logs;
    }

    std::vector<measurement> times_;
    time_point_codes codes_{};
    rate_fit fit_;
};

}  // namespace collsched::measured
