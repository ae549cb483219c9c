#include "collsched/core/fraction.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "collsched/core/detail/splitmix64.hpp"

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
