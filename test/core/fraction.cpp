#include "collsched/core/fraction.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("fraction: lowest terms, and exact comparison") {
    static_assert(fraction(6, 4) == fraction(3, 2));
    static_assert(fraction(6, 4).numerator() == 3 && fraction(6, 4).denominator() == 2);
    static_assert(fraction(0, 7) == fraction() && fraction(0, 7).denominator() == 1);
    static_assert(fraction(-6, 4) == fraction(-3, 2));
    constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
    static_assert(fraction(large - 1, large) < fraction(large, large + 1));
    static_assert(!(fraction(large, large + 1) < fraction(large - 1, large)));
    static_assert(fraction(1, 3) < fraction(1, 2) && !(fraction(1, 2) < fraction(1, 2)));
    CHECK(fraction(3, 2).value() == 1.5);
}
