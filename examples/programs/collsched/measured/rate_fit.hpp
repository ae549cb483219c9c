#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "time_covariance.hpp"
#include "time_rates.hpp"
#include "triangular_factor.hpp"

namespace collsched::measured {

/// The most probable rates of a cluster: nonlinear least squares of the logarithms of times with the covariance of
/// their deviations (Levenberg-Marquardt), from the rates of usual networks.
class rate_fit {
  public:
    /// `logs` are the logarithms of the times of `points`.
    rate_fit(std::vector<time_point> points, std::vector<double> logs)
        : points_(std::move(points)), logs_(std::move(logs)), rates_(usual_log_rates()) {
        for (int pass = 0; pass < 2; ++pass) {  // the covariance of a pass has the rates of the one before
            for (time_point& point : points_) point.parts = time_of(point.amounts, rates_).parts;
            factor_covariance();
            find_rates();
        }
        state_ = at(rates_);
        std::vector<double> rows = normal_matrix(state_, 0);
        uncertainty_ = triangular_factor(work_kinds, std::move(rows));
    }

    const log_rates& rates() const { return rates_; }
    const std::vector<time_point>& points() const { return points_; }

    /// Returns the logarithms of the times of the points, minus those of their estimates by all other points under the
    /// same rates. Source: Rasmussen, Williams 2006, equation 5.12.
    std::vector<double> deviations() const {
        std::vector<double> made = logs_;
        for (std::size_t i = 0; i < made.size(); ++i) made[i] -= time_of(points_[i].amounts, rates_).value;
        made = factor_.solve(std::move(made));
        const std::vector<double> weights = factor_.inverse_diagonal();
        for (std::size_t i = 0; i < made.size(); ++i) made[i] /= weights[i];
        return made;
    }

    /// A logarithm of a time, and its variance relative to those of other algorithms of the same case.
    struct prediction {
        double log_us = 0, variance = 0;
    };
    prediction predict(time_point point) const {
        const log_time prior = time_of(point.amounts, rates_);
        point.parts = prior.parts;
        std::vector<double> weights(points_.size());
        for (std::size_t i = 0; i < points_.size(); ++i) weights[i] = time_covariance::between(point, points_[i]);
        weights = factor_.forward(std::move(weights));
        const auto product = [&](const std::vector<double>& other) {
            return triangular_factor::dot(weights.data(), other.data(), weights.size());
        };
        std::vector<double> unexplained(work_kinds);
        for (std::size_t k = 0; k < work_kinds; ++k) unexplained[k] = prior.parts[k] - product(state_.slopes[k]);
        unexplained = uncertainty_.forward(std::move(unexplained));
        return {prior.value + product(state_.residuals),
                time_covariance::within_case(point) - product(weights) +
                    triangular_factor::dot(unexplained.data(), unexplained.data(), work_kinds)};
    }

  private:
    /// Deviations and derivatives at some rates, multiplied with the inverse factor of the covariance.
    struct state {
        std::vector<double> residuals;
        std::array<std::vector<double>, work_kinds> slopes;
        double cost = 0;
    };

    void factor_covariance() {
        const std::size_t n = points_.size();
        std::vector<double> rows(n * n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) rows[i * n + j] = time_covariance::between(points_[i], points_[j]);
            rows[i * n + i] += time_covariance::noise * time_covariance::noise;
        }
        factor_ = triangular_factor(n, std::move(rows));
    }

    static double weight(std::size_t k) { return 1 / (usual_rates[k].deviation * usual_rates[k].deviation); }
    static double distance(const log_rates& rates, std::size_t k) { return rates[k] - std::log(usual_rates[k].us); }

    double cost(const std::vector<double>& residuals, const log_rates& rates) const {
        double sum = triangular_factor::dot(residuals.data(), residuals.data(), residuals.size());
        for (std::size_t k = 0; k < work_kinds; ++k) sum += weight(k) * distance(rates, k) * distance(rates, k);
        return sum;
    }

    state at(const log_rates& rates) const {
        state made;
        made.residuals = logs_;
        for (std::vector<double>& slope : made.slopes) slope.resize(points_.size());
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const log_time prior = time_of(points_[i].amounts, rates);
            made.residuals[i] -= prior.value;
            for (std::size_t k = 0; k < work_kinds; ++k) made.slopes[k][i] = prior.parts[k];
        }
        made.residuals = factor_.forward(std::move(made.residuals));
        for (std::vector<double>& slope : made.slopes) slope = factor_.forward(std::move(slope));
        made.cost = cost(made.residuals, rates);
        return made;
    }

    /// Returns the matrix of the normal equations, its diagonal increased by this part.
    std::vector<double> normal_matrix(const state& now, double damping) const {
        std::vector<double> rows(work_kinds * work_kinds);
        for (std::size_t a = 0; a < work_kinds; ++a) {
            for (std::size_t b = 0; b <= a; ++b)
                rows[a * work_kinds + b] =
                    triangular_factor::dot(now.slopes[a].data(), now.slopes[b].data(), points_.size());
            double& diagonal = rows[a * work_kinds + a];
            diagonal = (diagonal + weight(a)) * (1 + damping);
        }
        return rows;
    }

    log_rates stepped(const state& now, double damping) const {
        std::vector<double> step(work_kinds);
        for (std::size_t k = 0; k < work_kinds; ++k)
            step[k] = triangular_factor::dot(now.slopes[k].data(), now.residuals.data(), points_.size()) -
                      weight(k) * distance(rates_, k);
        step = triangular_factor(work_kinds, normal_matrix(now, damping)).solve(std::move(step));
        log_rates made = rates_;
        for (std::size_t k = 0; k < work_kinds; ++k) made[k] += step[k];
        return made;
    }

    void find_rates() {
        constexpr int most_steps = 30;
        constexpr double enough = 1e-3;
        double damping = 1e-3;
        state now = at(rates_);
        for (int step = 0; step < most_steps; ++step) {
            const log_rates next = stepped(now, damping);
            state there = at(next);
            if (!(there.cost < now.cost)) {
                damping *= 5;
                continue;
            }
            const double gain = now.cost - there.cost;
            rates_ = next;
            now = std::move(there);
            damping /= 5;
            if (gain < enough) return;
        }
    }

    std::vector<time_point> points_;
    std::vector<double> logs_;
    log_rates rates_;
    triangular_factor factor_{}, uncertainty_{};
    state state_{};
};

}  // namespace collsched::measured
