#include "collsched/core/byte_range.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("byte_range: ranges overlap if they share a byte") {
    for (bytes_t a = 0; a < 6; ++a)
        for (bytes_t n = 0; n < 4; ++n)
            for (bytes_t b = 0; b < 6; ++b)
                for (bytes_t m = 0; m < 4; ++m) {
                    bool shared = false;
                    for (bytes_t i = a; i < a + n; ++i) shared = shared || (i >= b && i < b + m);
                    CHECK(overlap({a, n}, {b, m}) == shared);
                }
    static_assert(byte_range{3, 4}.end() == 7 && byte_range{3, 0}.end() == 3);
    static_assert(byte_range{} == byte_range{0, 0});
}
