#include "collsched/simulate/simulation.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace collsched;

TEST_CASE("simulation: a failed run reports its error, and without exceptions it has no times") {
#if COLLSCHED_EXCEPTIONS
    CHECK_THROWS_AS(detail::endless_run(3), bad_argument);
    CHECK_THROWS_AS(detail::too_long_a_run(), bad_argument);
#else
    const simulation none = detail::endless_run(3);
    CHECK(none.check().value == 3);
    CHECK(none.finish.size() == 0);
#endif
    CHECK(detail::failed_run({}) == simulation{});
}

TEST_CASE("simulation: the default is no run, and all its times are 0") {
    const simulation::activity none;
    CHECK((none.arrival == 0 && none.ready == 0 && none.begin == 0 && none.busy_until == 0 && none.end == 0));
    const simulation::critical_step step;
    CHECK((step.node == 0 && step.cause == simulation::critical_step::delay::start));
    const simulation::link_use use;
    CHECK((use.link == 0 && use.send == 0 && use.transfer == 0 && use.bytes == 0 && use.begin == 0 && use.end == 0));
    CHECK(simulation().completion == 0);
    CHECK_FALSE((simulation().check() || simulation().is_beyond_limit()));
}

TEST_CASE("simulation: the errors of a run have their argument, value and text") {
    CHECK(detail::run_beyond(7).check() == argument_error{"limit", 7, "a longer time"});
    CHECK(detail::run_beyond(7).is_beyond_limit());
    CHECK(detail::interrupted_run().check() == argument_error{"is_over", 1, "0 until the run is complete"});
    CHECK_FALSE(detail::interrupted_run().is_beyond_limit());
#if COLLSCHED_EXCEPTIONS
    const auto error_of = [](auto run) {
        try {
            run();
        } catch (const bad_argument& found) {
            return found.error();
        }
        return argument_error{};
    };
    CHECK(error_of([] { detail::endless_run(3); }) ==
          argument_error{"schedule", 3, "a schedule in which no edge waits for ever"});
    CHECK(error_of([] { detail::too_long_a_run(); }) ==
          argument_error{"time", INT64_MAX, "a run of less than 2^63 picoseconds"});
#endif
}
