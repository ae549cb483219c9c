#include "collsched/core/detail/splitmix64.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace collsched;

// The generator's published first output for the seed 0.
static_assert(detail::splitmix64(0)() == 0xe220a8397b1dcdafU);

TEST_CASE("splitmix64: every value of a range comes at about the same rate, and no other") {
    detail::splitmix64 random(7);
    std::array<int, 6> seen{};
    for (int i = 0; i < 6000; ++i) {
        const std::int64_t x = random.between(-2, 3);
        REQUIRE(x >= -2);
        REQUIRE(x <= 3);
        ++seen[static_cast<std::size_t>(x + 2)];
    }
    for (const int n : seen) CHECK((n > 800 && n < 1200));
    CHECK(random.between(5, 5) == 5);
    random.between(INT64_MIN, INT64_MAX);  // the whole range has 2^64 values
    CHECK(detail::splitmix64(1)() != detail::splitmix64(2)());
}
