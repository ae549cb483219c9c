#include "collsched/format/files/json_reader.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/format/input_error.hpp"

using namespace collsched;

TEST_CASE("json_reader: parses a file, and rejects wrong values with their lines") {
    const text_file file{"f.json", "{\"count\": 3,\n \"name\": \"x\"}"};
    const json_reader reader(file);
    const json_value top = reader.parse();
    reader.check_keys(top, "a test", {"count", "name"});
    CHECK(reader.whole(reader.needed(top, "count"), "count", 1, 3) == 3);
    CHECK(reader.text(reader.needed(top, "name"), "name") == "x");
    CHECK_THROWS_WITH_AS(reader.whole(reader.needed(top, "count"), "count", 4),
                         "f.json:1: count: got 3, expected a whole number, 4 to 2^63-1", input_error);
    CHECK_THROWS_AS(reader.whole(reader.needed(top, "name"), "name", 0), input_error);
    const text_file zeros{"f.json", std::string("{\0}", 3)};
    CHECK_THROWS_AS(json_reader(zeros).parse(), input_error);
}
