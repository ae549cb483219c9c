#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "collsched/cost/loggp.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/simulate/simulate.hpp"

namespace collsched::tuning {

/// Fit of a LogGP model to measured times of schedules. It has two factors: x for the times per message (L, o, g and
/// the connection) and y for the times per byte (G, copy and combine).
///
/// A simulated time is a sum x a + y b as long as the critical path remains the same. Each measured time t adds the
/// square of the relative error, ((x a + y b - t) / t)^2, and the factors minimize the sum. A term of weight `prior`
/// keeps a factor at 1 that no measurement determines. Equal measurements in equal order give equal models.
class model_fit {
  public:
    static constexpr double prior = 0.001;       ///< weight of (x - 1)^2 + (y - 1)^2; a measured time has weight 1
    static constexpr double most_factor = 1000;  ///< both factors are within 1 / most_factor .. most_factor

    /// Fit without measurements, whose model is the start.
    /// @param start  model with factors 1
    explicit model_fit(const loggp_model& start) : start_(start), model_(start) {}

    /// Adds a measured time and computes the factors again. Cost: two simulated runs.
    /// @param schedule  schedule that was measured
    /// @param measured  its time; 1 or more
    /// @return whether the time counts: not if it is below 1, or if a simulated run fails
    bool add(const any_schedule& schedule, picoseconds measured) {
        if (measured < 1) return false;
        const std::optional<picoseconds> now = completion(schedule, model_);
        const std::optional<picoseconds> slower = completion(schedule, scaled(per_message_ * (1 + step), per_byte_));
        if (!now || !slower) return false;
        const auto whole = static_cast<double>(*now);
        const double change = static_cast<double>(*slower) - whole;
        const double messages = std::clamp(change / step, 0.0, whole);
        const auto t = static_cast<double>(measured);
        add_terms(messages / per_message_ / t, (whole - messages) / per_byte_ / t);
        return true;
    }

    /// Returns the model with the factors.
    const loggp_model& model() const { return model_; }
    /// Returns x, the factor of times per message.
    double per_message() const { return per_message_; }
    /// Returns y, the factor of times per byte.
    double per_byte() const { return per_byte_; }
    /// Returns the number of measured times.
    std::int64_t count() const { return count_; }

  private:
    /// Relative change of x for the share of times per message in a simulated time.
    static constexpr double step = 1.0 / 64;

    /// Returns the simulated time, or nothing if it fails or takes longer than 2^63 picoseconds.
    static std::optional<picoseconds> completion(const any_schedule& schedule, const loggp_model& model) {
#if COLLSCHED_EXCEPTIONS
        try {
            const simulation run = simulate(schedule, model);
            if (!run.check()) return run.completion;
        } catch (const bad_argument&) {
            return std::nullopt;
        }
#else
        const simulation run = simulate(schedule, model);
        if (!run.check()) return run.completion;
#endif
        return std::nullopt;
    }
    /// Adds the equation x a + y b = 1, and solves the normal equations.
    void add_terms(double a, double b) {
        ++count_;
        aa_ += a * a;
        ab_ += a * b;
        bb_ += b * b;
        a_ += a;
        b_ += b;
        const double determinant = aa_ * bb_ - ab_ * ab_;  // positive by the prior
        const double x = (a_ * bb_ - b_ * ab_) / determinant, y = (b_ * aa_ - a_ * ab_) / determinant;
        per_message_ = within(x);
        per_byte_ = within(y);
        // A factor at its bound is given: the other one is the best for it.
        if (is_outside(y)) per_message_ = within((a_ - ab_ * per_byte_) / aa_);
        else if (is_outside(x)) per_byte_ = within((b_ - ab_ * per_message_) / bb_);
        model_ = scaled(per_message_, per_byte_);
    }
    static bool is_outside(double factor) { return factor < 1 / most_factor || factor > most_factor; }
    static double within(double factor) { return std::clamp(factor, 1 / most_factor, most_factor); }

    loggp_model scaled(double x, double y) const {
        const auto times = [](std::int64_t value, double factor) {
            constexpr double most = 4e18;  // below 2^63
            return static_cast<std::int64_t>(std::min(std::round(static_cast<double>(value) * factor), most));
        };
        return {.latency_ps = times(start_.latency_ps, x),
                .overhead_ps = times(start_.overhead_ps, x),
                .gap_ps = times(start_.gap_ps, x),
                .byte_fs = times(start_.byte_fs, y),
                .copy_fs = times(start_.copy_fs, y),
                .combine_fs = times(start_.combine_fs, y),
                .connection_ps = times(start_.connection_ps, x)};
    }

    loggp_model start_, model_;
    double per_message_ = 1, per_byte_ = 1;
    double aa_ = prior, ab_ = 0, bb_ = prior, a_ = prior, b_ = prior;  // sums of the normal equations
    std::int64_t count_ = 0;
};

}  // namespace collsched::tuning
