#include "collsched/select/detail/time_covariance.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace collsched;
using namespace collsched::detail;

namespace {

const measured_case gather_64{.collective = collective::gather, .ranks = 8, .bytes = 64};

measured_case gather_of(rank_t p, bytes_t m) { return {.collective = collective::gather, .ranks = p, .bytes = m}; }

}  // namespace

TEST_CASE("time_covariance: symmetric, and largest between a time and itself") {
    time_point_codes codes;
    const time_point a = codes.add(gather_64, "linear_ompi"), b = codes.add(gather_of(16, 4096), "binomial_ompi");
    CHECK(time_covariance::between(a, b) == doctest::Approx(time_covariance::between(b, a)));
    CHECK(time_covariance::between(a, a) > time_covariance::between(a, b));
    CHECK(time_covariance::within_case(a) > 0);
    CHECK(time_covariance::within_case(a) < time_covariance::between(a, a));
}

TEST_CASE("time_covariance: decreases with the distance in bytes and ranks") {
    time_point_codes codes;
    const time_point here = codes.add(gather_64, "linear_ompi");
    const auto with = [&](rank_t p, bytes_t m) {
        return time_covariance::between(here, codes.add(gather_of(p, m), "linear_ompi"));
    };
    CHECK(with(8, 128) > with(8, 1024));
    CHECK(with(8, 1024) > with(8, 1 << 20));
    CHECK(with(16, 64) > with(64, 64));
}

TEST_CASE("time_covariance: decreases with differences of the algorithm and the setting") {
    time_point_codes codes;
    const time_point here = codes.add(gather_64, "linear_ompi");
    const auto with = [&](const measured_case& where, std::string_view name) {
        return time_covariance::between(here, codes.add(where, name));
    };
    measured_case gpu = gather_64;
    gpu.setting = "gpu";
    measured_case scatter = gather_64;
    scatter.collective = collective::scatter;
    CHECK(with(gather_64, "linear_ompi") > with(gather_64, "linear_over"));
    CHECK(with(gather_64, "linear_over") > with(gather_64, "binomial_over"));
    CHECK(with(gather_64, "linear_ompi") > with(gpu, "linear_ompi"));
    CHECK(with(gpu, "linear_ompi") > with(scatter, "linear_ompi"));
}

TEST_CASE("time_point_codes: equal properties have equal codes") {
    time_point_codes codes;
    const time_point a = codes.add(gather_64, "linear_ompi"), b = codes.add(gather_64, "linear_over");
    CHECK(a.place == b.place);
    CHECK(a.run == b.run);
    CHECK(a.base == b.base);
    CHECK(a.algorithm != b.algorithm);
    CHECK(a.implementation != b.implementation);
    CHECK(codes.add(gather_of(8, 65), "linear_ompi").place != a.place);
    CHECK(codes.add(gather_of(9, 64), "linear_ompi").run != a.run);
    CHECK(codes.find(gather_64, "linear_over").algorithm == b.algorithm);
    CHECK(codes.find(gather_64, "linear_mpich").algorithm == -1);
    CHECK(codes.find(gather_64, "linear_mpich").base == a.base);
}
