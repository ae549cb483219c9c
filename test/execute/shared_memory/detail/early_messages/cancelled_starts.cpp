#include "collsched/execute/shared_memory/detail/early_messages.hpp"

#include <doctest/doctest.h>

using collsched::detail::cancelled_starts;

TEST_CASE("cancelled_starts: the last 64 are remembered, by channel and epoch") {
    cancelled_starts starts;
    CHECK(!starts.has(0, 0));
    for (std::uint64_t i = 0; i < 100; ++i) {
        CHECK(!starts.has(7, i));
        starts.add(7, i);
        CHECK((starts.has(7, i) && !starts.has(8, i) && !starts.has(7, i + 1)));
    }
    CHECK((starts.has(7, 36) && !starts.has(7, 35)));
}
