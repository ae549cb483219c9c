#include "collsched/core/fraction.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "collsched/core/detail/splitmix64.hpp"

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

TEST_CASE("fraction: comparison equals that of products of 128 bits") {
    __extension__ using wide = __int128;
    collsched::detail::splitmix64 random(7);
    const auto number = [&] {
        const std::uint64_t state = random();
        return static_cast<std::int64_t>(state >> 1 >> state % 62);
    };
    for (int i = 0; i < 20'000; ++i) {
        const fraction a(i % 3 == 0 ? -number() : number(), number() + 1),
            b(i % 5 == 0 ? -number() : number(), number() + 1);
        const auto product = [](const fraction& one, const fraction& other) {
            return static_cast<wide>(one.numerator()) * other.denominator();
        };
        CHECK((a < b) == (product(a, b) < product(b, a)));
        CHECK_FALSE(a < a);
    }
}
