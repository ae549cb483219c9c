#include "collsched/verify/verify.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("signal_reach: a message carries the ranks of all signals before its step") {
    signal_reach known(70);
    CHECK(known.has(69, 69));
    CHECK_FALSE(known.has(69, 0));
    const edge first[] = {{.step = 0, .src = 0, .dst = 69}, {.step = 0, .src = 69, .dst = 3}};
    known.step(first);
    CHECK(known.has(69, 0));
    CHECK(known.has(3, 69));
    CHECK_FALSE(known.has(3, 0));
    const edge second[] = {{.step = 1, .src = 69, .dst = 3}};
    known.step(second);
    CHECK(known.has(3, 0));
    CHECK_FALSE(known.has(0, 3));
}

namespace {

constexpr bool one_reaches_two() {
    signal_reach known(3);
    const edge edges[] = {{.src = 1, .dst = 2}};
    known.step(edges);
    return known.has(2, 1) && !known.has(1, 2) && !known.has(2, 0);
}
static_assert(one_reaches_two());

/// Whether the first and the last of these ranks reach each other, and themselves from the beginning.
constexpr bool ends_reach_each_other(rank_t ranks) {
    signal_reach known(ranks);
    const rank_t last = ranks - 1;
    if (!known.has(0, 0) || !known.has(last, last) || known.has(0, last) || known.has(last, 0)) return false;
    const edge edges[] = {{.src = 0, .dst = last}, {.src = last, .dst = 0}};
    known.step(edges);
    return known.has(0, last) && known.has(last, 0) && !known.has(last, 1) && !known.has(1, last);
}
static_assert(ends_reach_each_other(63) && ends_reach_each_other(64) && ends_reach_each_other(65) &&
              ends_reach_each_other(66) && ends_reach_each_other(129));

}  // namespace
