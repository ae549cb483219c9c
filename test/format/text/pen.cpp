#include "collsched/format/text.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

using namespace collsched::detail;

TEST_CASE("pen: a pen writes to any output iterator and returns the position after the last character") {
    std::string text;
    pen put(std::back_inserter(text));
    put(FMT_COMPILE("{} -> {}"), 1, "two");
    put.text(", {three}");
    CHECK(text == "1 -> two, {three}");

    char room[8] = {};
    pen put_chars(&room[0]);
    put_chars(FMT_COMPILE("{:03}"), 7);
    put_chars.text("!");
    CHECK(put_chars.done() == room + 4);
    CHECK(std::string(room) == "007!");
}

TEST_CASE("pen: a list has a text between its items alone") {
    std::string text;
    pen put(std::back_inserter(text));
    const auto digit = [&](int one) { put(FMT_COMPILE("{}"), one); };
    put.list(std::vector<int>{}, digit);
    put.list(std::vector{1, 2, 3}, digit);
    put.list(std::vector{4, 5}, digit, "; ");
    CHECK(text == "1,2,34; 5");
}
