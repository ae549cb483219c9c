#include "collsched/select/detail/rate_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

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
