#include "collsched/topology/cable.hpp"

#include <doctest/doctest.h>

using collsched::topology::cable;

TEST_CASE("cable: two cables of equal rates are equal") {
    static_assert(cable{} == cable{.bandwidth = 1, .latency = 0});
    CHECK(cable{.bandwidth = 5, .latency = 7} == cable{5, 7});
    CHECK(cable{5, 7} != cable{5, 8});
}
