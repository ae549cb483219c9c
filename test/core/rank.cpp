#include "collsched/core/rank.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("wrap is the remainder, for values at most one turn away") {
    for (std::int64_t n = 1; n <= 9; ++n)
        for (std::int64_t value = -n; value < 2 * n; ++value) CHECK(wrap(value, n) == (value + n) % n);
}
