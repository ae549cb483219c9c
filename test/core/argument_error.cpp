#include "collsched/core/argument_error.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace collsched;

TEST_CASE("argument_error: the text has argument, value and accepted range") {
    static_assert(!argument_error{} && argument_error{} == argument_error{nullptr, 0, nullptr, -1});
    constexpr argument_error error{"counts", -3, "0 bytes or more", 2};
    static_assert(static_cast<bool>(error));
    CHECK(std::string(error.text().c_str()) == "counts[2]: got -3, expected 0 bytes or more");
    CHECK(std::string(argument_error{"ranks", 0, "1 or more"}.text().c_str()) == "ranks: got 0, expected 1 or more");
    CHECK(std::string(argument_error{"block", std::numeric_limits<std::int64_t>::min(), "x"}.text().c_str()) ==
          "block: got -9223372036854775808, expected x");
}

TEST_CASE("argument_error: a text longer than its room is cut, not overrun") {
    const std::string lengthy(1000, 'a');
    CHECK(std::string(argument_error{lengthy.c_str(), 1, "b"}.text().c_str()) == std::string(255, 'a'));
}

TEST_CASE("argument_error: a rejected argument is thrown as an exception that carries the error") {
    CHECK_NOTHROW(refuse_if({}));
    try {
        refuse_if({"root", 9, "0 to ranks-1"});
        FAIL("nothing was thrown");
    } catch (const bad_argument& thrown) {
        CHECK(std::string(thrown.what()) == "root: got 9, expected 0 to ranks-1");
        CHECK(thrown.which().value == 9);
    }
}

TEST_CASE("argument_error: errors are equal by their texts, not by addresses") {
    const char here[] = "root", there[] = "root";
    CHECK(argument_error{here, 3, "0 to ranks-1"} == argument_error{there, 3, "0 to ranks-1"});
    CHECK(argument_error{here, 3, "0 to ranks-1"} != argument_error{"roots", 3, "0 to ranks-1"});
    CHECK(argument_error{here, 3, "less"} != argument_error{there, 4, "less"});
    CHECK(argument_error{} == argument_error{});
    CHECK(argument_error{} != argument_error{here, 0, nullptr});
}

TEST_CASE("argument_error: no error has a text too") {
    CHECK(std::string(argument_error{}.text().c_str()) == "no error");
}
