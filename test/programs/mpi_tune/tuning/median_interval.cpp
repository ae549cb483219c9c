#include "examples/programs/mpi_tune/tuning/median_interval.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using namespace collsched::tuning;

TEST_CASE("median_interval: the order statistics of the interval are those of published tables") {
    // Pairs (n, d): the interval is from sample d + 1 to sample n - d of n ordered ones.
    const std::int64_t published[][2] = {{1, 0},  {5, 0},  {6, 0},  {7, 0},  {8, 0},   {9, 1},    {10, 1},    {12, 2},
                                         {15, 3}, {20, 5}, {25, 7}, {30, 9}, {50, 17}, {100, 39}, {1000, 468}};
    for (const auto& [n, outside] : published) {
        CAPTURE(n);
        CHECK(median_interval::samples_outside(n) == outside);
    }
}

TEST_CASE("median_interval: the order of samples has no effect") {
    const median_interval expected{5, 2, 8, 9};
    CHECK(median_interval::of({1, 2, 3, 4, 5, 6, 7, 8, 9}) == expected);
    CHECK(median_interval::of({9, 1, 8, 2, 7, 3, 6, 4, 5}) == expected);
    CHECK(median_interval::of({3, 1, 4, 2}) == median_interval{2, 1, 4, 4});
    CHECK(median_interval::of({7}) == median_interval{7, 7, 7, 1});
    CHECK(median_interval::of({}) == median_interval{});
}

TEST_CASE("median_interval: at least 95 of 100 intervals contain the median of the population") {
    detail::splitmix64 bits(1);
    const auto draw = [&] {
        const auto unit = static_cast<double>(bits() >> 11) * 0x1p-53;
        return static_cast<picoseconds>(1e6 * unit * unit);  // median 250,000
    };
    for (const int n : {6, 11, 40}) {
        int inside = 0;
        for (int trial = 0; trial < 4000; ++trial) {
            std::vector<picoseconds> samples(static_cast<std::size_t>(n));
            std::ranges::generate(samples, draw);
            const median_interval one = median_interval::of(samples);
            inside += one.low <= 250'000 && one.high >= 250'000;
        }
        CAPTURE(n);
        CHECK(inside >= 3780);  // 94.5 %: four standard deviations below 95 % are less
    }
}

TEST_CASE("median_interval: an interval is above another one only without a common value") {
    const median_interval a{5, 4, 6, 9}, b{8, 7, 9, 9}, c{6, 6, 8, 9};
    CHECK(b.is_above(a));
    CHECK_FALSE(a.is_above(b));
    CHECK_FALSE(c.is_above(a));
    CHECK_FALSE(a.is_above(a));
}

TEST_CASE("median_interval: without samples all members are 0") {
    const median_interval none;
    CHECK((none.median == 0 && none.low == 0 && none.high == 0 && none.samples == 0));
    static_assert(median_interval::confident_samples == 6);
}
