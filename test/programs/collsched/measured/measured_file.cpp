#include "examples/programs/collsched/measured/measured_file.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace collsched::measured;

TEST_CASE("measured_file: unread lines name the first one, their number and the reason") {
    const measured_file::unread_lines one{.first = 7, .count = 1, .reason = "messages of 0 bytes"};
    const measured_file::unread_lines more{.first = 7, .count = 3, .reason = "messages of 0 bytes"};
    CHECK(one.text("f") == "f:7: 1 line is not read: messages of 0 bytes");
    CHECK(more.text("f") == "f:7: 3 lines are not read: messages of 0 bytes");
}

TEST_CASE("measured_row: the default has no line and no texts") {
    const measured_row row;
    CHECK(row.line == 0);
    CHECK(row.machine.empty());
    CHECK(row.time.where == measured_case{});
}
