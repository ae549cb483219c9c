#include "collsched/verify/detail/signal_reach.hpp"

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

}  // namespace
