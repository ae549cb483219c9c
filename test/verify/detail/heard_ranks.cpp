#include "collsched/verify/detail/heard_ranks.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("heard_ranks: a message carries the ranks known before its step") {
    heard_ranks heard(70);
    CHECK(heard.has(69, 69));
    CHECK_FALSE(heard.has(69, 0));
    const edge first[] = {{.step = 0, .src = 0, .dst = 69}, {.step = 0, .src = 69, .dst = 3}};
    heard.step(first);
    CHECK(heard.has(69, 0));
    CHECK(heard.has(3, 69));
    CHECK_FALSE(heard.has(3, 0));
    const edge second[] = {{.step = 1, .src = 69, .dst = 3}};
    heard.step(second);
    CHECK(heard.has(3, 0));
    CHECK_FALSE(heard.has(0, 3));
}

namespace {

constexpr bool one_tells_two() {
    heard_ranks heard(3);
    const edge edges[] = {{.src = 1, .dst = 2}};
    heard.step(edges);
    return heard.has(2, 1) && !heard.has(1, 2) && !heard.has(2, 0);
}
static_assert(one_tells_two());

}  // namespace
