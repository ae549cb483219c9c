#include "collsched/simulate/simulation.hpp"

#include <doctest/doctest.h>

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
