#include "examples/programs/collsched/measured/time_covariance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

using namespace collsched;
using namespace collsched::measured;

namespace {

const measured_case gather_64{.collective = collective::gather, .ranks = 8, .bytes = 64};

measured_case gather_of(rank_t p, bytes_t m) { return {.collective = collective::gather, .ranks = p, .bytes = m}; }

constexpr int time_point::* code_members[] = {&time_point::place,      &time_point::setting,        &time_point::run,
                                              &time_point::collective, &time_point::pattern,        &time_point::base,
                                              &time_point::algorithm,  &time_point::implementation, &time_point::ports};

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

TEST_CASE("time_covariance: the sum of the effects of all properties that two times share") {
    // Distances of one range each, and no common property: codes of -1 and 0.
    const double near = std::exp(-1.5), far = std::exp(-0.625);
    time_point a, b;
    b.log_bytes = 2.3;
    b.log_ranks = -1.3;
    for (const auto member : code_members) {
        CHECK(a.*member == 0);
        b.*member = -1;
    }
    a.parts = {1, 2};
    b.parts = {3, 4};
    a.parts.back() = 5;
    b.parts.back() = 6;
    const double parts = 3 + 8 + 30;
    CHECK(time_covariance::between(a, b) == doctest::Approx(0));
    const auto sharing = [&](int time_point::* member) {
        time_point c = b;
        c.*member = a.*member;
        return time_covariance::between(a, c);
    };
    CHECK(sharing(&time_point::place) == doctest::Approx(0.74 * 0.74));
    CHECK(sharing(&time_point::collective) == doctest::Approx(0.11 * 0.11 * far + 0.2 * 0.2 * parts));
    CHECK(sharing(&time_point::implementation) == doctest::Approx(0.047 * 0.047 * far + 0.1 * 0.1 * parts));
    CHECK(sharing(&time_point::ports) == doctest::Approx(0.25 * 0.25 * far));
    CHECK(sharing(&time_point::run) == doctest::Approx(0.31 * 0.31 * parts));
    for (const double same : {0.5, 1.0}) {
        b.setting = same < 1 ? -1 : 0;
        CHECK(sharing(&time_point::algorithm) == doctest::Approx((0.77 * 0.77 * near + 0.084 * 0.084) * same));
        CHECK(sharing(&time_point::base) == doctest::Approx(0.11 * 0.11 * near * same));
        const double pattern = (0.37 * 0.37 * near + 0.064 * 0.064) * same + 0.028 * 0.028 * parts;
        a.blockwise = false;
        CHECK(sharing(&time_point::pattern) == doctest::Approx(pattern));
        a.blockwise = true;
        CHECK(sharing(&time_point::pattern) == doctest::Approx(pattern + 0.17 * 0.17 * far * same));
    }
    CHECK(time_covariance::within_case(a) == doctest::Approx(time_covariance::between(a, a) - 0.74 * 0.74));
}

TEST_CASE("time_point_codes: each property has a code, and a new value a new one") {
    time_point_codes all;
    const measured_case where{.collective = collective::gather, .ranks = 8, .ranks_per_node = 2, .bytes = 63};
    const time_point a = all.add(where, "linear_ompi");
    CHECK(a.log_bytes == doctest::Approx(6));
    CHECK(a.log_ranks == doctest::Approx(3));
    CHECK(a.amounts == work_of_words(where, algorithm_words("linear_ompi")).find().amounts);
    // The properties that differ, in the order of `code_members`.
    const auto differing = [&](const time_point& b) {
        std::string found;
        for (const auto member : code_members) found += b.*member == a.*member ? '-' : b.*member == -1 ? 'n' : 'x';
        return found;
    };
    const auto changed = [&](auto member, auto value, std::string_view name = "linear_ompi") {
        measured_case other = where;
        other.*member = value;
        const std::string unknown = differing(all.find(other, name));
        std::string known = differing(all.add(other, name));
        CHECK(differing(all.find(other, name)) == known);
        std::ranges::replace(known, 'x', 'n');
        CHECK(unknown == known);
        return known;
    };
    // place, setting, run, collective, pattern, base, algorithm, implementation, ports
    CHECK(changed(&measured_case::ranks, 8) == "---------");
    CHECK(changed(&measured_case::bytes, 64) == "n--------");
    CHECK(changed(&measured_case::ranks, 9) == "n-n------");
    CHECK(changed(&measured_case::ranks_per_node, 4) == "nnn------");
    CHECK(changed(&measured_case::setting, "gpu") == "nnn------");
    CHECK(changed(&measured_case::collective, collective::scatter) == "n--nnnn--");
    CHECK(changed(&measured_case::ranks, 8, "linear_over") == "------nn-");
    CHECK(changed(&measured_case::ranks, 8, "simple_ompi") == "-----nn--");
    CHECK(changed(&measured_case::ranks, 8, "binomial_ompi") == "----nnn--");
    CHECK(changed(&measured_case::ranks, 8, "linear_ompi_0_4") == "------n-n");
    CHECK_FALSE(a.blockwise);
    CHECK(all.add({.collective = collective::allgather}, "block_by_block").blockwise);
    CHECK_FALSE(all.add({.collective = collective::allgather}, "sparbit").blockwise);
}
