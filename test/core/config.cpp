#include "collsched/core/config.hpp"

#include <doctest/doctest.h>

TEST_CASE("config: the version is a number, and exceptions follow the compiler") {
    static_assert(COLLSCHED_VERSION_MAJOR >= 0 && COLLSCHED_VERSION_MINOR >= 0 && COLLSCHED_VERSION_PATCH >= 0);
    static_assert(COLLSCHED_EXCEPTIONS == 1, "tests are built with exceptions");
}
