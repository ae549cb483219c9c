#include "collsched/format/files/detail/text_lines.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace collsched::detail;

TEST_CASE("text_lines: blanks at the ends of a text") {
    CHECK(trimmed("  a b\t\r") == "a b");
    CHECK(trimmed(" \t").empty());
    CHECK(trimmed("").empty());
    CHECK(trimmed("a") == "a");
}

TEST_CASE("text_lines: lines of a text") {
    std::string_view text = " a b\r\n a b\r\n\nlast";
    CHECK(take_line(text) == " a b\r");
    CHECK(trimmed(take_line(text)) == "a b");
    CHECK(take_line(text).empty());
    CHECK(take_line(text) == "last");
    CHECK(text.empty());
    CHECK(take_line(text).empty());
    text = "whole\n";
    CHECK(take_line(text) == "whole");
    CHECK(text.empty());
}
