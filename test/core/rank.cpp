#include "collsched/core/rank.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("rank: wrap is the remainder, for values at most one turn away") {
    for (std::int64_t n = 1; n <= 9; ++n)
        for (std::int64_t value = -n; value < 2 * n; ++value) CHECK(wrap(value, n) == (value + n) % n);
}

TEST_CASE("rank: two ranges of steps are joined, forwards and from the end") {
    constexpr detail::step_ranges apart{{0, 0}, {5, 7}};
    static_assert(apart.from(0, 99) == 0 && apart.from(1, 99) == 5 && apart.from(7, 99) == 7 &&
                  apart.from(8, 99) == 99);
    static_assert(apart.mirrored(9) == detail::step_ranges{{9, 9}, {2, 4}});
    static_assert(apart.hull() == step_range{0, 7} && detail::step_ranges{{}, {2, 3}}.hull() == step_range{2, 3});
    static_assert(detail::step_ranges{{2, 3}, {}}.hull() == step_range{2, 3} && detail::step_ranges{}.hull().empty());
    static_assert(step_range{} == step_range{0, -1} && detail::step_ranges{} == detail::step_ranges{{0, -1}, {0, -1}});
    static_assert(detail::step_ranges{{4, 6}}.mirrored(10) == detail::step_ranges{{4, 6}} &&
                  detail::step_ranges{}.from(0, 5) == 5);
    static_assert(step_range{5, 3}.from(2, 9) == 9 && step_range{5, 5}.from(2, 9) == 5 &&
                  step_range{5, 5}.from(6, 9) == 9);
    static_assert(!step_range{5, 5}.empty() && step_range{5, 4}.empty());
    static_assert(detail::step_ranges{{4, 5}, {1, 9}}.hull() == step_range{1, 9} &&
                  detail::step_ranges{{1, 9}, {4, 5}}.hull() == step_range{1, 9});
    for (step_t k = 0; k < 12; ++k) {
        step_t expected = 99;
        for (step_t s = 11; s >= k; --s)
            if (s == 0 || (s >= 5 && s <= 7)) expected = s;
        CHECK(apart.from(k, 99) == expected);
    }
}
