#include "collsched/core/bits.hpp"

#include <doctest/doctest.h>

using namespace collsched;

static_assert(floor_log2(1) == 0 && floor_log2(2) == 1 && floor_log2(3) == 1);
static_assert(ceil_log2(1) == 0 && ceil_log2(2) == 1 && ceil_log2(3) == 2);
static_assert(floor_power_of_two(1) == 1 && floor_power_of_two(12) == 8);
static_assert(is_power_of_two(1) && is_power_of_two(64) && !is_power_of_two(0) && !is_power_of_two(6));

TEST_CASE("logarithms: logarithms and powers agree with counting") {
    std::int64_t power = 1;
    int exponent = 0;
    for (std::int64_t n = 1; n <= 5000; ++n) {
        if (2 * power <= n) power *= 2, ++exponent;
        CHECK(floor_log2(n) == exponent);
        CHECK(floor_power_of_two(n) == power);
        CHECK(ceil_log2(n) == exponent + (n > power ? 1 : 0));
        CHECK(is_power_of_two(n) == (n == power));
    }
    CHECK(ceil_log2((std::int64_t{1} << 62) + 1) == 63);
}
