#include "examples/programs/mpi_tune/tuning/model_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::tuning;

namespace {

constexpr loggp_model real{.latency_ps = 3'000'000,
                           .overhead_ps = 700'000,
                           .gap_ps = 900'000,
                           .byte_fs = 250'000,
                           .copy_fs = 80'000,
                           .combine_fs = 150'000};

/// The real model with other times per message and per byte.
loggp_model distorted(std::int64_t message_percent, std::int64_t byte_percent) {
    const auto times = [](std::int64_t value, std::int64_t percent) { return value * percent / 100; };
    return {.latency_ps = times(real.latency_ps, message_percent),
            .overhead_ps = times(real.overhead_ps, message_percent),
            .gap_ps = times(real.gap_ps, message_percent),
            .byte_fs = times(real.byte_fs, byte_percent),
            .copy_fs = times(real.copy_fs, byte_percent),
            .combine_fs = times(real.combine_fs, byte_percent)};
}

bool is_near(std::int64_t value, std::int64_t expected) { return std::abs(value - expected) * 50 <= expected; }

any_schedule schedule_of(const char* name, rank_t ranks, bytes_t bytes) {
    return compiled::find(collective::allreduce, name)->make({.ranks = ranks, .bytes = bytes});
}

/// Adds the times under the real model.
void measure(model_fit& fit) {
    for (const bytes_t bytes : {8, 512, 32'768, 2'097'152})
        for (const char* name : {"recursive-doubling", "ring", "rabenseifner"})
            for (const rank_t ranks : {4, 8}) {
                const any_schedule s = schedule_of(name, ranks, bytes);
                CHECK(fit.add(s, simulate(s, real).completion));
            }
}

/// Fits a model of 1 us per message and 1 us per 8 bytes to the times of an exchange of 9 and of 17 bytes.
model_fit fit_of_exchanges(picoseconds of_9, picoseconds of_17) {
    model_fit fit({.latency_ps = 1'000'000, .byte_fs = 125'000'000, .copy_fs = 0, .combine_fs = 0});
    CHECK(fit.add(schedule_of("recursive-doubling", 2, 9), of_9));
    CHECK(fit.add(schedule_of("recursive-doubling", 2, 17), of_17));
    return fit;
}

}  // namespace

TEST_CASE("model_fit: the model of synthetic measurements is found within 2 percent") {
    for (const auto& [message, byte] :
         {std::pair(100, 100), std::pair(20, 100), std::pair(100, 500), std::pair(400, 30), std::pair(1000, 1000)}) {
        model_fit fit(distorted(message, byte));
        measure(fit);
        CAPTURE(message);
        CAPTURE(byte);
        CHECK(is_near(fit.model().latency_ps, real.latency_ps));
        CHECK(is_near(fit.model().overhead_ps, real.overhead_ps));
        CHECK(is_near(fit.model().gap_ps, real.gap_ps));
        CHECK(is_near(fit.model().byte_fs, real.byte_fs));
        CHECK(is_near(fit.model().copy_fs, real.copy_fs));
        CHECK(is_near(fit.model().combine_fs, real.combine_fs));
        CHECK(fit.count() == 24);
    }
}

TEST_CASE("model_fit: equal measurements give equal models") {
    model_fit a(distorted(300, 50)), b(distorted(300, 50));
    measure(a);
    measure(b);
    CHECK(a.model() == b.model());
}

TEST_CASE("model_fit: a factor that no measurement determines remains 1") {
    model_fit fit({.latency_ps = 1'000'000, .byte_fs = 0, .copy_fs = 0, .combine_fs = 0});
    CHECK(fit.model().latency_ps == 1'000'000);
    const any_schedule s = schedule_of("recursive-doubling", 8, 8);
    CHECK(fit.add(s, 6'000'000));
    CHECK(fit.per_byte() == doctest::Approx(1));
    CHECK(is_near(fit.model().latency_ps, 2'000'000));
}

TEST_CASE("model_fit: a factor at its bound does not distort the other one") {
    // 1 us per message and 1 us per 8 bytes, and times that fall with the size: without bounds x = 3 and y = -1.
    const model_fit fit = fit_of_exchanges(2'000'000, 1'000'000);
    CHECK(fit.per_byte() == doctest::Approx(1 / model_fit::most_factor));
    CHECK(fit.per_message() == doctest::Approx(1.2).epsilon(0.01));
}

TEST_CASE("model_fit: times without a meaning do not count, and factors have a bound") {
    model_fit fit(real);
    const any_schedule s = schedule_of("ring", 4, 8);
    CHECK_FALSE(fit.add(s, 0));
    CHECK(fit.count() == 0);
    CHECK(fit.model() == real);
    CHECK(fit.add(s, 4'000'000'000'000'000'000));
    CHECK(fit.per_message() <= model_fit::most_factor);
    model_fit overflowing({.latency_ps = INT64_MAX});
    CHECK_FALSE(overflowing.add(s, 5));
}

TEST_CASE("model_fit: the factors minimize the squares of the relative errors, with the prior") {
    // On 2 ranks recursive doubling takes x times 1 us and y times 1 us for each 8 bytes after the first.
    const loggp_model start{.latency_ps = 1'000'000, .byte_fs = 125'000'000, .copy_fs = 0, .combine_fs = 0};
    CHECK(simulate(schedule_of("recursive-doubling", 2, 17), start).completion == 3'000'000);
    const std::pair<bytes_t, picoseconds> measured[] = {{9, 3'000'000}, {17, 4'000'000}, {65, 12'000'000}};
    for (const std::size_t count : {1U, 2U, 3U}) {
        model_fit fit(start);
        double aa = 0.001, ab = 0, bb = 0.001, a = 0.001, b = 0.001;
        for (const auto& [bytes, time] : std::span(measured).first(count)) {
            CHECK(fit.add(schedule_of("recursive-doubling", 2, bytes), time));
            const double message = 1e6 / static_cast<double>(time), rest = static_cast<double>(bytes - 1) / 8 * message;
            aa += message * message, ab += message * rest, bb += rest * rest, a += message, b += rest;
        }
        CHECK(fit.count() == static_cast<std::int64_t>(count));
        CHECK(fit.per_message() * aa + fit.per_byte() * ab == doctest::Approx(a).epsilon(1e-5));
        CHECK(fit.per_message() * ab + fit.per_byte() * bb == doctest::Approx(b).epsilon(1e-5));
    }
}

TEST_CASE("model_fit: a factor per message at its bound does not distort the other one") {
    // Times that grow with the square of the size: without bounds the factor per message is below 0.
    const model_fit fit = fit_of_exchanges(1'000'000, 4'000'000);
    CHECK(fit.per_message() == doctest::Approx(1 / model_fit::most_factor));
    // (y - 1)^2 + (y / 2 - 1)^2 is least for y = 1.2.
    CHECK(fit.per_byte() == doctest::Approx(1.2).epsilon(0.01));
}

TEST_CASE("model_fit: each time of the model has its factor") {
    CHECK((model_fit(real).per_message() == doctest::Approx(1) && model_fit(real).per_byte() == doctest::Approx(1)));
    static_assert(model_fit::most_factor == 1000);
    loggp_model start = real;
    start.connection_ps = 5'000'000;
    model_fit fit(start);
    CHECK(fit.add(schedule_of("ring", 4, 100'000), 1'000'000'000));
    CHECK(fit.add(schedule_of("recursive-doubling", 4, 8), 400'000'000));
    const auto times = [](std::int64_t value, double factor) {
        return static_cast<std::int64_t>(std::llround(static_cast<double>(value) * factor));
    };
    const double x = fit.per_message(), y = fit.per_byte();
    CHECK(std::abs(x - y) > 0.1);
    CHECK(fit.model() == loggp_model{.latency_ps = times(start.latency_ps, x),
                                     .overhead_ps = times(start.overhead_ps, x),
                                     .gap_ps = times(start.gap_ps, x),
                                     .byte_fs = times(start.byte_fs, y),
                                     .copy_fs = times(start.copy_fs, y),
                                     .combine_fs = times(start.combine_fs, y),
                                     .connection_ps = times(start.connection_ps, x)});
    CHECK_FALSE(model_fit(real).add(schedule_of("ring", 4, 8), -1));
    CHECK(model_fit(real).add(schedule_of("ring", 4, 8), 1));
}
