#include "collsched/core/detail/place_parts.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using detail::place_parts;

static_assert(place_parts{5}.interval_size(0, 0) == 5 && place_parts{5}.interval_size(0, 1) == 3);
static_assert(place_parts{5}.interval_size(3, 1) == 2 && place_parts{5}.interval_size(4, 3) == 1);

TEST_CASE("place_parts: the places of an interval hold all blocks once, in equal parts up to one block") {
    for (rank_t p = 1; p <= 70; ++p)
        for (step_t depth = 0; (rank_t{1} << depth) <= p; ++depth)
            for (rank_t first = 0; first < rank_t{1} << depth; ++first) {
                CAPTURE(p);
                CAPTURE(depth);
                const place_parts parts{p};
                const rank_t size = parts.interval_size(first, depth);
                rank_t end = 0, places = 0;
                for (rank_t v = first; v < p; v += rank_t{1} << depth, ++places) {
                    CHECK(parts.interval_size(v, depth) == size);
                    CHECK(parts.begin(v, depth, 0) == end);
                    end = parts.begin(v, depth, 1);
                    const rank_t blocks = end - parts.begin(v, depth, 0);
                    CHECK(blocks >= p / size);
                    CHECK(blocks <= (p - 1) / size + 1);
                }
                CHECK(end == p);
                CHECK(places == size);
            }
}

TEST_CASE("place_parts: two parts share the blocks that are in both, none if they are apart") {
    static_assert(place_parts{}.ranks == 1 && place_parts{}.shared(0, 0, 0, 0) == block_interval{0, 1});
    for (rank_t p = 1; p <= 12; ++p)
        for (rank_t src = 0; src < p; ++src)
            for (rank_t dst = 0; dst < p; ++dst)
                for (step_t before = 0; before < 5; ++before)
                    for (step_t after = 0; after < 5; ++after) {
                        const place_parts parts{p};
                        rank_t both = 0, first = p;
                        for (rank_t i = p; i-- > 0;)
                            if (i >= parts.begin(src, before, 0) && i < parts.begin(src, before, 1) &&
                                i >= parts.begin(dst, after, 0) && i < parts.begin(dst, after, 1))
                                first = i, ++both;
                        const block_interval found = parts.shared(src, before, dst, after);
                        CHECK(found.count == both);
                        if (both > 0) CHECK(found.first == first);
                    }
}

TEST_CASE("place_parts: a part contains those of its place further up") {
    for (rank_t p = 1; p <= 70; ++p)
        for (rank_t v = 0; v < p; ++v)
            for (step_t depth = 1; (rank_t{1} << depth) < 2 * p; ++depth)
                for (step_t above = 0; above < depth; ++above)
                    CHECK(place_parts{p}.shared(v, depth, v, above) == place_parts{p}.shared(v, above, v, above));
}

TEST_CASE("place_parts: no number wraps near the largest number of ranks") {
    const rank_t p = (rank_t{1} << 62) - 1;
    const place_parts parts{p};
    CHECK(parts.begin(p - 1, 0, 1) == p);
    CHECK(parts.begin(p / 2, 61, 1) == p);
    CHECK(parts.shared(p - 1, 0, p - 1, 0) == block_interval{p - 1, 1});
}
