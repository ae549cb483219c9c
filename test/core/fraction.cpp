#include "collsched/core/fraction.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

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

TEST_CASE("fraction: whole numbers, numbers between them and negative ones are in order") {
    std::vector<fraction> ascending;
    for (std::int64_t third = -7; third <= 7; ++third) ascending.emplace_back(third, 3);
    for (std::size_t i = 0; i < ascending.size(); ++i)
        for (std::size_t j = 0; j < ascending.size(); ++j) CHECK((ascending[i] < ascending[j]) == (i < j));
    static_assert(fraction(5) == fraction(5, 1) && fraction().numerator() == 0 && fraction().denominator() == 1);
}

TEST_CASE("fraction: a product is exact, and 0 where its terms exceed 64 bits") {
    using detail::product;
    static_assert(product({3, 4}, {2, 9}) == fraction(1, 6) && product({-3, 4}, {5, 7}) == fraction(-15, 28));
    static_assert(product({0, 1}, {5, 7}) == fraction(0, 1) && product({7, 1}, {1, 1}) == fraction(7, 1));
    constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
    static_assert(product({large, 3}, {3, large}) == fraction(1, 1));
    static_assert(product({large, 2}, {3, 1}) == fraction() && product({2, large}, {1, 3}) == fraction());
    static_assert(product({large, 2}, {3, 7}) == fraction() && product({7, 3}, {2, large}) == fraction());
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

using collsched::checked;
using collsched::detail::mul_div;

TEST_CASE("mul_div: small and large products, and overflow") {
    static_assert(mul_div(7, 5, 3).value() == 11 && mul_div(0, 5, 3).value() == 0 && mul_div(5, 0, 3).value() == 0);
    constexpr std::int64_t most = INT64_MAX;
    static_assert(mul_div(most, most, most).value() == most && mul_div(most, most - 1, most).value() == most - 1);
    static_assert(mul_div(most, 1, 1).value() == most && !mul_div(most, 2, 1).ok() &&
                  !mul_div(most, most, most - 1).ok());
    static_assert(mul_div(std::int64_t{1} << 62, std::int64_t{1} << 62, std::int64_t{1} << 62).value() ==
                  std::int64_t{1} << 62);
}

TEST_CASE("mul_div: equals divisions of 128 bits") {
    __extension__ using wide = unsigned __int128;
    collsched::detail::splitmix64 random(1);
    const auto number = [&] {
        const std::uint64_t state = random();
        return static_cast<std::int64_t>(state >> 1 >> state % 60);
    };
    for (int i = 0; i < 20'000; ++i) {
        const std::int64_t a = number(), b = number(), c = number() + 1;
        const wide exact = static_cast<wide>(a) * static_cast<wide>(b) / static_cast<wide>(c);
        const checked found = mul_div(a, b, c);
        CHECK(found.ok() == (exact <= static_cast<wide>(INT64_MAX)));
        if (found.ok()) CHECK(static_cast<wide>(found.value()) == exact);
    }
}
