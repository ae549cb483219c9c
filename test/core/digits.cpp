#include "collsched/core/digits.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace collsched;

static_assert(power(3, 0) == 1 && power(3, 4) == 81 && power(2, 62) == INT64_MAX / 2 + 1);
static_assert(floor_log(3, 1) == 0 && floor_log(3, 8) == 1 && floor_log(3, 9) == 2);
static_assert(ceil_log(3, 1) == 0 && ceil_log(3, 9) == 2 && ceil_log(3, 10) == 3);
static_assert(ceil_log(INT64_MAX, INT64_MAX) == 1 && ceil_log(2, INT64_MAX) == 63);

TEST_CASE("digits: logarithms are the least and the greatest exponents of their definitions") {
    CHECK(power(2, 62) == INT64_MAX / 2 + 1);
    for (std::int64_t base = 2; base <= 9; ++base)
        for (std::int64_t n = 1; n <= 1000; ++n) {
            CHECK(power(base, floor_log(base, n)) <= n);
            CHECK(power(base, floor_log(base, n) + 1) > n);
            CHECK(power(base, ceil_log(base, n)) >= n);
            if (n > 1) CHECK(power(base, ceil_log(base, n) - 1) < n);
        }
}

TEST_CASE("digits: the distances of all steps are the numbers below n with one nonzero digit") {
    for (std::int64_t base : {std::int64_t{2}, std::int64_t{3}, std::int64_t{7}, std::int64_t{1} << 62})
        for (std::int64_t n = 1; n <= 100; ++n) {
            std::vector<std::int64_t> found, wanted;
            for (step_t i = 0; i < ceil_log(base, n); ++i)
                digit_distances(base, i, n, [&](std::int64_t distance) { found.push_back(distance); });
            for (std::int64_t distance = 1; distance < n; ++distance) {
                std::int64_t rest = distance;
                while (rest % base == 0) rest /= base;
                if (rest < base) wanted.push_back(distance);
            }
            CHECK(found == wanted);
        }
}
