#include "collsched/format/input_error.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace collsched;

TEST_CASE("input_error: the text has each part that is given") {
    CHECK(input_error::mistake{.argument = "a", .value = "1", .expected = "2"}.text() == "a: got 1, expected 2");
    CHECK(input_error::mistake{.argument = "a", .value = "1", .expected = "2", .file = "f", .line = 3}.text() ==
          "f:3: a: got 1, expected 2");
    CHECK(input_error::mistake{.argument = "a", .value = "1", .expected = "2", .file = "f"}.text() ==
          "f: a: got 1, expected 2");
    CHECK(input_error::mistake{.value = "two roots", .expected = "one"}.text() == "got two roots, expected one");
    CHECK(input_error::mistake{.argument = "a", .value = {}, .expected = "a number", .file = "f", .line = 3}.text() ==
          "f:3: a is required: a number");
}

TEST_CASE("input_error: the parts of an argument_error, with its index") {
    const input_error::mistake mistake = input_error::mistake::of({"counts", -3, "0 bytes or more", 2}, "f", 7);
    CHECK(mistake.argument == "counts[2]");
    CHECK(mistake.value == "-3");
    CHECK(mistake.expected == "0 bytes or more");
    CHECK(mistake.text() == "f:7: counts[2]: got -3, expected 0 bytes or more");
    CHECK(input_error::mistake::of({"root", 9, "0 to 3"}).text() == argument_error{"root", 9, "0 to 3"}.text().c_str());
}

TEST_CASE("input_error: one line without control characters, and the parts that it was made of") {
    const input_error error({.argument = "a\nb", .value = "\x7f\t", .expected = "c", .file = "d", .line = 2});
    CHECK(std::string(error.what()) == "d:2: a b: got   , expected c");
    CHECK(error.cause().argument == "a\nb");
    CHECK(error.cause().line == 2);
}
