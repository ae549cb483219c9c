#include "collsched/format/input_error.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace collsched;

TEST_CASE("one line, whatever it is told") {
    CHECK(std::string(input_error("a\nb\tc\x7f").what()) == "a b c ");
    CHECK(std::string(input_error("as it is").what()) == "as it is");
}
