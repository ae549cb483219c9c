#include "collsched/format/text.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/ring.hpp"

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("schedule_name: names are collective/algorithm, with v for irregular blocks") {
    CHECK(schedule_name(allgather::ring::info) == "allgather/ring");
    CHECK(schedule_name(allgather::recursive_doubling::info, true) == "allgatherv/recursive-doubling");
}

TEST_CASE("schedule_name: a name splits at its first slash") {
    CHECK(split_name("allgatherv/ring").collective == "allgatherv");
    CHECK(split_name("allgatherv/ring").algorithm == "ring");
    CHECK(split_name("ring").collective.empty());
    CHECK(split_name("ring").algorithm == "ring");
}
