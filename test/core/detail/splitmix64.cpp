#include "collsched/core/detail/splitmix64.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <initializer_list>

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

TEST_CASE("splitmix64: the published numbers for a seed, and both ends of a range") {
    detail::splitmix64 random(1234567);
    for (const std::uint64_t expected :
         {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U})
        CHECK(random() == expected);
    bool low = false, high = false;
    for (int i = 0; i < 1000; ++i) {
        const std::int64_t drawn = random.between(-2, 3);
        CHECK(drawn >= -2);
        CHECK(drawn <= 3);
        low = low || drawn == -2, high = high || drawn == 3;
    }
    CHECK(low);
    CHECK(high);
}
