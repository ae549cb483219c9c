#include "collsched/core/detail/rank_interval.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

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

static_assert(interval_order{}.ranks == 1 && interval_order{} == interval_order{1});
static_assert(interval_order{5}.check(6) == argument_error{"order", 5, "as many entries as ranks"});
static_assert(interval_order{8}.rank(1) == 4 && interval_order{8}.rank(3) == 6 && interval_order{8}.rank(6) == 3);
static_assert(interval_order{5}.rank(0) == 0 && interval_order{5}.rank(1) == 3 && interval_order{5}.rank(2) == 2 &&
              interval_order{5}.rank(3) == 4 && interval_order{5}.rank(4) == 1);

TEST_CASE("interval_order: every rank has one place, and the intervals of depth k are the remainders modulo 2^k") {
    for (rank_t p = 1; p <= 130; ++p) {
        CAPTURE(p);
        const interval_order order{p};
        CHECK(!order.check(p));
        CHECK(order.check(p + 1).value == p);
        for (rank_t r = 0; r < p; ++r) {
            const rank_t v = order.virtual_rank(r);
            CHECK(v >= 0);
            CHECK(v < p);
            CHECK(order.rank(v) == r);
            rank_t last = -1, visited = 0;
            order.visit(r / 3, r, [&](rank_t found) {
                CHECK(found > last);
                CHECK(order.virtual_rank(found) >= r / 3);
                CHECK(order.virtual_rank(found) < r);
                last = found, ++visited;
            });
            CHECK(visited == r - r / 3);
            for (step_t k = 0; k <= ceil_log2(p); ++k)
                for (rank_t w = v % (rank_t{1} << k); w < p; w += rank_t{1} << k)
                    CHECK(rank_interval::at(p, r, k).contains(order.rank(w)));
        }
    }
}

TEST_CASE("interval_order: places are found for almost 2^62 ranks") {
    const interval_order order{(rank_t{1} << 62) - 1};
    for (const rank_t r : {rank_t{0}, order.ranks / 2, order.ranks / 3, order.ranks - 1})
        CHECK(order.rank(order.virtual_rank(r)) == r);
    CHECK(order.rank(1) == order.ranks / 2 + 1);
}
