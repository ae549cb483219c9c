#include "collsched/core/detail/cyclic_progression.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("cyclic progression: the blocks below an end, as going through all of them finds them") {
    for (rank_t p = 1; p <= 12; ++p)
        for (rank_t first = 0; first < p; ++first)
            for (rank_t stride = -2 * p; stride <= 2 * p; ++stride)
                for (rank_t count = 0; stride != 0 && (count == 0 || (count - 1) * (stride < 0 ? -stride : stride) < p);
                     ++count)
                    for (rank_t end = 0; end <= p; ++end) {
                        std::vector<rank_t> found, expected;
                        cyclic_progression{first, stride, count}.for_each_below(end, p,
                                                                                [&](rank_t i) { found.push_back(i); });
                        for (rank_t i = 0; i < count; ++i)
                            if (((first + i * stride) % p + p) % p < end) expected.push_back(i);
                        INFO("p=", p, " first=", first, " stride=", stride, " count=", count, " end=", end);
                        REQUIRE(found == expected);
                    }
}

TEST_CASE("cyclic progression: default-constructed without blocks, and two one after the other") {
    constexpr cyclic_progression none{};
    static_assert(none.first == 0 && none.stride == 1 && none.count == 0);
}

TEST_CASE("cyclic progression: many blocks above the end take no time") {
    // A constant expression of so many steps would not compile.
    static constexpr auto calls = [](cyclic_progression blocks, rank_t p) {
        rank_t n = 0;
        blocks.for_each_below(5, p, [&](rank_t) { ++n; });
        return n;
    };
    constexpr rank_t p = rank_t{1} << 62;
    static_assert(calls({.first = p - 1, .stride = 1, .count = p}, p) == 5);
    static_assert(calls({.first = 0, .stride = -1, .count = p}, p) == 5);
    static_assert(calls({.first = 7, .stride = 2, .count = p / 2}, p) == 2);
}
