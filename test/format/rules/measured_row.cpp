#include "collsched/format/rules/measured_row.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("measured_row: the default has no line and no texts") {
    const measured_row row;
    CHECK(row.line == 0);
    CHECK(row.machine.empty());
    CHECK(row.time.where == measured_case{});
}
