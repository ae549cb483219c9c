#include "collsched/core/detail/rank_interval.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"

using namespace collsched;
using namespace collsched::detail;

static_assert(rank_interval{} == rank_interval{0, 1});
static_assert(rank_interval{3, 5}.lower_half() == rank_interval{3, 3});
static_assert(rank_interval{3, 5}.upper_half() == rank_interval{6, 2});
static_assert(rank_interval{3, 5}.is_lower(5) && !rank_interval{3, 5}.is_lower(6));
static_assert(rank_interval{3, 5}.contains(3) && rank_interval{3, 5}.contains(7));
static_assert(!rank_interval{3, 5}.contains(2) && !rank_interval{3, 5}.contains(8));

TEST_CASE("rank_interval: leaves are at depth floor(log2 p) or ceil(log2 p), and each interval has its rank") {
    for (rank_t p = 1; p <= 130; ++p)
        for (rank_t r = 0; r < p; ++r) {
            CAPTURE(p);
            CAPTURE(r);
            const step_t depth = rank_interval::depth_of(p, r);
            CHECK(depth >= floor_log2(p));
            CHECK(depth <= ceil_log2(p));
            CHECK(rank_interval::at(p, r, 0) == rank_interval{0, p});
            CHECK(rank_interval::at(p, r, depth + 3) == rank_interval{r, 1});
            for (step_t k = 0; k < depth; ++k) {
                const rank_interval whole = rank_interval::at(p, r, k);
                CHECK(whole.size > 1);
                CHECK(whole.half_with(r) == rank_interval::at(p, r, k + 1));
                CHECK(whole.half_with(r).contains(r));
                CHECK(!whole.half_without(r).contains(r));
                CHECK(whole.half_with(r).size + whole.half_without(r).size == whole.size);
            }
        }
}

TEST_CASE("rank_interval: sizes at a depth differ by one at most") {
    for (rank_t p = 1; p <= 130; ++p)
        for (step_t depth = 0; depth <= floor_log2(p); ++depth)
            for (rank_t r = 0; r < p; ++r) {
                const rank_t size = rank_interval::at(p, r, depth).size;
                CHECK(size >= p >> depth);
                CHECK(size <= (p + (rank_t{1} << depth) - 1) >> depth);
            }
}
