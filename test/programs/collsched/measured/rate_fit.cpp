#include "examples/programs/collsched/measured/rate_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace collsched;
using namespace collsched::measured;

namespace {

/// Times of rings whose rounds take `round_us` and whose other rates are the usual ones.
rate_fit rings(double round_us) {
    time_point_codes codes;
    std::vector<time_point> points;
    std::vector<double> logs;
    log_rates rates = usual_log_rates();
    rates[static_cast<std::size_t>(work_kind::round)] = std::log(round_us);
    for (const rank_t p : {4, 8, 16, 32, 64, 128})
        for (const bytes_t m : {8, 64, 512}) {
            points.push_back(codes.add({.collective = collective::allgather, .ranks = p, .bytes = m}, "ring_ompi"));
            logs.push_back(time_of(points.back().amounts, rates).value);
        }
    return {points, logs};
}
double round_of(const rate_fit& fit) { return std::exp(fit.rates()[static_cast<std::size_t>(work_kind::round)]); }

/// Measured times of several algorithms that differ from the usual ones, and other points.
struct several_times {
    std::vector<time_point> points, others;
    std::vector<double> logs;

    several_times() {
        time_point_codes codes;
        const auto allreduce = [](rank_t p, bytes_t m) {
            return measured_case{.collective = collective::allreduce, .ranks = p, .bytes = m};
        };
        int turn = 0;
        for (const char* name : {"ring_ompi", "recursive_doubling_ompi", "rabenseifner_mpich"})
            for (const rank_t p : {4, 32})
                for (const bytes_t m : {64, 1 << 14, 1 << 22}) {
                    points.push_back(codes.add(allreduce(p, m), name));
                    const double usual = time_of(points.back().amounts, usual_log_rates()).value;
                    logs.push_back(usual + 0.3 + 0.25 * (turn++ % 4));
                }
        for (const rank_t p : {4, 12})
            for (const char* name : {"ring_ompi", "bine_lat_over"})
                others.push_back(codes.find(allreduce(p, 4096), name));
    }
};

}  // namespace

TEST_CASE("rate_fit: rates follow the times") {
    const double fast = round_of(rings(1)), slow = round_of(rings(10));
    CHECK(fast < 1.7);
    CHECK(slow > 6);
}

TEST_CASE("rate_fit: measured times are predicted") {
    const rate_fit fit = rings(10);
    for (const time_point& point : fit.points()) {
        log_rates rates = usual_log_rates();
        rates[0] = std::log(10);
        const rate_fit::prediction found = fit.predict(point);
        CHECK(found.log_us == doctest::Approx(time_of(point.amounts, rates).value).epsilon(0.02));
    }
}

TEST_CASE("rate_fit: a time that differs from similar ones has the largest deviation") {
    time_point_codes codes;
    std::vector<time_point> points;
    std::vector<double> logs;
    for (const bytes_t m : {64, 128, 256, 512, 1024}) {
        points.push_back(codes.add({.collective = collective::gather, .ranks = 8, .bytes = m}, "linear_ompi"));
        logs.push_back(std::log(m == 256 ? 100 : 10));
    }
    const std::vector<double> deviations = rate_fit(points, logs).deviations();
    REQUIRE(deviations.size() == 5);
    CHECK(deviations[2] > 1);
    for (const std::size_t i : {0U, 1U, 3U, 4U}) CHECK(std::abs(deviations[i]) < deviations[2]);
    for (const double one : rings(10).deviations()) CHECK(std::abs(one) < 0.3);
}

TEST_CASE("rate_fit: a prediction is less certain farther from measurements") {
    const rate_fit fit = rings(2);
    time_point_codes codes;
    time_point point = fit.points().front();
    const double near = fit.predict(point).variance;
    point = codes.add({.collective = collective::alltoall, .ranks = 9, .bytes = 1 << 20}, "pairwise");
    CHECK(fit.predict(point).variance > near);
}

TEST_CASE("rate_fit: without measurements the rates are the usual ones") {
    const rate_fit fit({}, {});
    for (std::size_t k = 0; k < work_kinds; ++k) CHECK(std::exp(fit.rates()[k]) == doctest::Approx(usual_rates[k].us));
}

TEST_CASE("rate_fit: rates are the most probable ones, and predictions those of a Gaussian process at these rates") {
    const several_times times;
    const std::size_t n = times.points.size();
    const rate_fit fit(times.points, times.logs);
    const log_rates rates = fit.rates();
    // The covariance that the fit uses has the parts of the rates of the pass before.
    std::vector<double> deviations, covariance(n * n);
    std::vector<work_amounts> parts;
    for (std::size_t i = 0; i < n; ++i) {
        const log_time time = time_of(times.points[i].amounts, rates);
        deviations.push_back(times.logs[i] - time.value);
        parts.push_back(time.parts);
        for (std::size_t j = 0; j < n; ++j)
            covariance[i * n + j] =
                time_covariance::between(fit.points()[i], fit.points()[j]) + (i == j ? 0.022 * 0.022 : 0);
    }
    const triangular_factor factor(n, covariance);
    const std::vector<double> weights = factor.solve(deviations);
    // The slope of the logarithm of the probability is 0 in the direction of each rate.
    for (std::size_t k = 0; k < work_kinds; ++k) {
        double slope = -std::log(std::exp(rates[k]) / usual_rates[k].us) / std::pow(usual_rates[k].deviation, 2);
        for (std::size_t i = 0; i < n; ++i) slope += parts[i][k] * weights[i];
        CHECK(std::abs(slope) * usual_rates[k].deviation < 0.03);
    }
    // The uncertainty of the rates adds the product of their derivatives to each covariance.
    const auto of_rates = [](const work_amounts& a, const work_amounts& b) {
        double sum = 0;
        for (std::size_t k = 0; k < work_kinds; ++k) sum += a[k] * b[k] * std::pow(usual_rates[k].deviation, 2);
        return sum;
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) covariance[i * n + j] += of_rates(parts[i], parts[j]);
    const triangular_factor whole(n, covariance);
    for (time_point point : times.others) {
        const log_time time = time_of(point.amounts, rates);
        point.parts = time.parts;
        std::vector<double> near, near_whole;
        for (std::size_t i = 0; i < n; ++i) {
            near.push_back(time_covariance::between(point, fit.points()[i]));
            near_whole.push_back(near.back() + of_rates(time.parts, parts[i]));
        }
        const std::vector<double> explained = whole.solve(near_whole);
        const rate_fit::prediction found = fit.predict(point);
        CHECK(found.log_us == doctest::Approx(time.value + triangular_factor::dot(near.data(), weights.data(), n)));
        CHECK(found.variance == doctest::Approx(time_covariance::within_case(point) + of_rates(time.parts, time.parts) -
                                                triangular_factor::dot(near_whole.data(), explained.data(), n)));
    }
}

TEST_CASE("rate_fit: the deviation of a time is that from its estimate by all other times") {
    const several_times times;
    const rate_fit fit(times.points, times.logs);
    const std::vector<double> found = fit.deviations();
    const std::size_t n = times.points.size();
    REQUIRE(found.size() == n);
    for (std::size_t left_out = 0; left_out < n; ++left_out) {
        std::vector<double> others, rows, near;
        for (std::size_t i = 0; i < n; ++i) {
            if (i == left_out) continue;
            others.push_back(times.logs[i] - time_of(times.points[i].amounts, fit.rates()).value);
            near.push_back(time_covariance::between(fit.points()[i], fit.points()[left_out]));
            for (std::size_t j = 0; j < n; ++j)
                if (j != left_out)
                    rows.push_back(time_covariance::between(fit.points()[i], fit.points()[j]) +
                                   (i == j ? 0.022 * 0.022 : 0));
        }
        const std::vector<double> weights = triangular_factor(n - 1, rows).solve(others);
        const double estimate = time_of(times.points[left_out].amounts, fit.rates()).value +
                                triangular_factor::dot(near.data(), weights.data(), n - 1);
        CHECK(found[left_out] == doctest::Approx(times.logs[left_out] - estimate));
    }
}

TEST_CASE("rate_fit: covariances have the parts of times under rates near the final ones") {
    const several_times times;
    const rate_fit fit(times.points, times.logs);
    for (const time_point& point : fit.points()) {
        const work_amounts parts = time_of(point.amounts, fit.rates()).parts;
        for (std::size_t k = 0; k < work_kinds; ++k) CHECK(std::abs(point.parts[k] - parts[k]) < 0.1);
    }
}
