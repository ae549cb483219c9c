#include "examples/programs/collsched/measured/time_rates.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

using namespace collsched::measured;

TEST_CASE("time_rates: a time is the sum of amounts times rates") {
    log_rates rates{};
    work_amounts amounts{};
    amounts[0] = 3;
    amounts[1] = 2;
    rates[0] = std::log(5);
    rates[1] = std::log(0.5);
    const log_time time = time_of(amounts, rates);
    CHECK(std::exp(time.value) == doctest::Approx(16));
    CHECK(time.parts[0] == doctest::Approx(15.0 / 16));
    CHECK(time.parts[1] == doctest::Approx(1.0 / 16));
}

TEST_CASE("time_rates: parts are the derivatives of the logarithm") {
    work_amounts amounts{};
    for (std::size_t k = 0; k < work_kinds; ++k) amounts[k] = static_cast<double>(k + 1);
    const log_rates rates = usual_log_rates();
    const log_time time = time_of(amounts, rates);
    for (std::size_t k = 0; k < work_kinds; ++k) {
        log_rates other = rates;
        other[k] += 1e-4;
        CHECK((time_of(amounts, other).value - time.value) / 1e-4 == doctest::Approx(time.parts[k]).epsilon(1e-3));
    }
}

TEST_CASE("time_rates: usual rates are positive, and have names of their own") {
    std::set<std::string> names;
    for (const usual_rate& one : usual_rates) {
        CHECK(one.us > 0);
        CHECK(one.deviation > 0);
        names.insert(one.name);
    }
    CHECK(names.size() == work_kinds);
}
