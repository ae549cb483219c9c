#include "examples/programs/collsched/measured/measured_times.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace collsched;
using namespace collsched::measured;

namespace {

measured_case allreduce_of(bytes_t m) { return {.collective = collective::allreduce, .ranks = 64, .bytes = m}; }

const std::vector<std::string> names = {"ring", "recursive_doubling"};

}  // namespace

TEST_CASE("measured_times: without measurements, few rounds are chosen for few bytes and few bytes for many") {
    const measured_times times({});
    CHECK(times.choose(allreduce_of(8), names) == 1);
    CHECK(times.choose(allreduce_of(1 << 28), names) == 0);
    CHECK(times.corrections().empty());
    for (const measured_times::rate& one : times.rates()) CHECK(one.value == doctest::Approx(one.usual));
}

TEST_CASE("measured_times: a measured algorithm that is slower than usual is not chosen at similar sizes") {
    const measured_case where = allreduce_of(8);
    const std::vector<measurement> slow = {{where, "ring", 50}, {where, "recursive_doubling", 5000}};
    const measured_times times(slow);
    CHECK(times.choose(where, names) == 0);
    CHECK(times.choose(allreduce_of(16), names) == 0);
    CHECK(times.at(where, "ring").us == doctest::Approx(50).epsilon(0.1));
    CHECK(times.at(where, "recursive_doubling").us == doctest::Approx(5000).epsilon(0.1));
}

TEST_CASE("measured_times: deviations are least where a time was measured") {
    const std::vector<measurement> one = {{allreduce_of(1024), "ring", 200}};
    const measured_times times(one);
    const double here = times.at(allreduce_of(1024), "ring").deviation;
    CHECK(here < times.at(allreduce_of(1 << 20), "ring").deviation);
    CHECK(here < times.at(allreduce_of(1024), "recursive_doubling").deviation);
}

TEST_CASE("measured_times: one correction per measured collective and algorithm") {
    const std::vector<measurement> some = {{allreduce_of(8), "ring", 200},
                                           {allreduce_of(64), "ring", 210},
                                           {allreduce_of(8), "bine_lat_over", 20},
                                           {{.collective = collective::gather, .ranks = 64, .bytes = 8}, "ring", 30}};
    const std::vector<measured_times::correction> made = measured_times(some).corrections();
    REQUIRE(made.size() == 3);
    CHECK(made[0].collective == collective::gather);
    CHECK(made[1].algorithm == "bine_lat_over");
    CHECK(made[2].algorithm == "ring");
    CHECK(made[2].measurements == 2);
    for (const measured_times::correction& each : made) {
        CHECK(each.factor > 0);
        CHECK(each.error >= 1);
        CHECK(each.error < 10);
    }
}

TEST_CASE("measured_times: choices do not depend on the order of the measurements") {
    std::vector<measurement> times;
    for (const bytes_t m : {8, 512, 32768, 1 << 20})
        for (const std::string& name : names)
            times.push_back({allreduce_of(m), name, (name == "ring" ? 300 : 20) + 1e-3 * static_cast<double>(m)});
    const measured_times there(times);
    std::reverse(times.begin(), times.end());
    const measured_times back(times);
    for (const bytes_t m : {64, 4096, 1 << 24})
        for (const std::string& name : names)
            CHECK(there.at(allreduce_of(m), name).us == doctest::Approx(back.at(allreduce_of(m), name).us));
}

TEST_CASE("measured_times: the first of equal algorithms is chosen") {
    const std::array<std::string, 3> same = {"ring", "ring", "ring"};
    CHECK(measured_times({}).choose(allreduce_of(8), same) == 0);
}

TEST_CASE("measured_times: an estimate has the median, the deviation and the score of its logarithm") {
    const std::vector<measurement> one = {{allreduce_of(1024), "ring", 200}};
    const measured_times times(one);
    time_point_codes codes;
    const time_point point = codes.add(allreduce_of(1024), "ring");
    const rate_fit fit({point}, {std::log(200)});
    for (const bytes_t m : {64, 1024}) {
        const rate_fit::prediction found = fit.predict(codes.find(allreduce_of(m), "ring"));
        const measured_times::estimate made = times.at(allreduce_of(m), "ring");
        const double variance = m == 1024 ? 0 : found.variance;  // the case is known where the time was measured
        CHECK((found.variance < 0) == (m == 1024));
        CHECK(made.us == doctest::Approx(std::exp(found.log_us)));
        CHECK(made.deviation == doctest::Approx(std::sqrt(variance)));
        CHECK(made.score == doctest::Approx(found.log_us + 2.3 / 2 * variance));
    }
    static_assert(measured_times::most_measurements == 4096);
}

TEST_CASE("measured_times: a correction is the mean over the measurements of its algorithm") {
    const std::vector<measurement> some = {{allreduce_of(8), "ring", 900},
                                           {allreduce_of(64), "ring", 210},
                                           {allreduce_of(4096), "ring", 150},
                                           {allreduce_of(8), "recursive_doubling", 20}};
    const measured_times times(some);
    std::vector<time_point> points;
    std::vector<double> logs;
    time_point_codes codes;
    for (const measurement& each : some) {
        points.push_back(codes.add(each.where, each.algorithm));
        logs.push_back(std::log(each.us));
    }
    const rate_fit fit(points, logs);
    const std::vector<double> deviations = fit.deviations();
    const auto offset = [&](std::size_t i) { return logs[i] - time_of(points[i].amounts, fit.rates()).value; };
    const std::vector<measured_times::correction> made = times.corrections();
    REQUIRE(made.size() == 2);
    CHECK(made[0].measurements == 1);
    CHECK(made[0].factor == doctest::Approx(std::exp(offset(3))));
    CHECK(made[0].error == doctest::Approx(std::exp(std::abs(deviations[3]))));
    CHECK(made[1].measurements == 3);
    CHECK(made[1].factor == doctest::Approx(std::exp((offset(0) + offset(1) + offset(2)) / 3)));
    const double squares =
        deviations[0] * deviations[0] + deviations[1] * deviations[1] + deviations[2] * deviations[2];
    CHECK(made[1].error == doctest::Approx(std::exp(std::sqrt(squares / 3))));
    const std::vector<measured_times::rate> rates = times.rates();
    REQUIRE(rates.size() == work_kinds);
    for (std::size_t k = 0; k < rates.size(); ++k) {
        CHECK(rates[k].value == doctest::Approx(std::exp(fit.rates()[k])));
        CHECK(rates[k].usual == doctest::Approx(usual_rates[k].us));
        CHECK(std::string(rates[k].name) == usual_rates[k].name);
        CHECK(std::string(rates[k].unit) == usual_rates[k].unit);
    }
}
