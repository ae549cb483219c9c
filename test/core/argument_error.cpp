#include "collsched/core/argument_error.hpp"

#include <doctest/doctest.h>

#include <cstdint>
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
        CHECK(thrown.error().value == 9);
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

TEST_CASE("argument_error: errors differ by argument, value, range or index") {
    constexpr argument_error error{"counts", 3, "less", 2};
    static_assert(error == argument_error{"counts", 3, "less", 2});
    static_assert(error != argument_error{"count", 3, "less", 2} && error != argument_error{"counts", 4, "less", 2});
    static_assert(error != argument_error{"counts", 3, "lesser", 2} && error != argument_error{"counts", 3, "less", 1});
    static_assert(error != argument_error{nullptr, 3, "less", 2} && error != argument_error{"counts", 3, nullptr, 2});
    static_assert(argument_error{nullptr, 3, "less", 2} != error && argument_error{"counts", 3, nullptr, 2} != error);
    static_assert(error != argument_error{"dounts", 3, "less", 2} && error != argument_error{"", 3, "less", 2});
}

TEST_CASE("argument_error: a missing value, an empty argument and every number have a text") {
    const auto text = [](const char* argument, std::int64_t index, auto value, const char* expected) {
        detail::error_text line;
        detail::write_error([&](auto piece) { line.put(piece); }, argument, index, value, expected);
        return std::string(line.c_str());
    };
    CHECK(text("--ranks", -1, "", "1 or more") == "--ranks is required: 1 or more");
    CHECK(text("", -1, "x", "a number") == "got x, expected a number");
    CHECK(text("counts", 0, "x", "a number") == "counts[0]: got x, expected a number");
    CHECK(text("counts", 1, std::int64_t{10}, nullptr) == "counts[1]: got 10, expected ");
    for (const std::int64_t n : {INT64_MIN, INT64_MIN + 1, std::int64_t{-100}, std::int64_t{-1}, std::int64_t{0},
                                 std::int64_t{9}, std::int64_t{1090}, INT64_MAX})
        CHECK(text("n", -1, n, "") == "n: got " + std::to_string(n) + ", expected ");
}

// A write beyond the array is no constant expression.
static_assert([] {
    detail::error_text line;
    for (int i = 0; i < 100; ++i) line.put("four");
    line.put(INT64_MIN);
    int length = 0;
    while (line.c_str()[length] != '\0') ++length;
    return length == 255;
}());

TEST_CASE("argument_error: no error has a text too") {
    CHECK(std::string(argument_error{}.text().c_str()) == "no error");
}
