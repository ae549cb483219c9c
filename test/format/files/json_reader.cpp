#include "collsched/format/files/json_reader.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

template <class F>
std::string refusal(std::string_view text, F read) {
    const text_file file{"f", std::string(text)};
    return support::refusal_of([&] { read(file, parse_json(file)); });
}

}  // namespace

TEST_CASE("json_reader: integers are exact and within bounds") {
    const auto number = [](std::string_view text) {
        return refusal(text, [](const text_file& file, const json_value& v) { whole_number(file, v, "n", 1, 9); });
    };
    CHECK(number("1") == "");
    CHECK(number("9") == "");
    CHECK(number("0") == "f:1: n: got 0, expected a whole number, 1 to 9");
    CHECK(number("\n10") == "f:2: n: got 10, expected a whole number, 1 to 9");
    CHECK(number("1.5") == "f:1: n: got 1.5, expected a whole number, 1 to 9");
    CHECK(number("\"1\"") == "f:1: n: got no number, expected a whole number, 1 to 9");
    const text_file file{"f", "9223372036854775807"};
    CHECK(whole_number(file, parse_json(file), "n", 0) == INT64_MAX);
}

TEST_CASE("scaled_number: decimal numbers are scaled exactly, and rounded only where that is permitted") {
    const auto scaled = [](std::string_view text, decimal_scale scale) {
        const text_file file{"f", std::string(text)};
        return scaled_number(file, parse_json(file, json_numbers::as_decimal), "n", scale, 0, 5000, "0 to 5");
    };
    const auto wrong = [&](std::string_view text, decimal_scale scale) {
        return support::refusal_of([&] { scaled(text, scale); });
    };
    CHECK(scaled("5", {.power = 3}) == 5000);
    CHECK(scaled("1.25e-1", {.power = 3}) == 125);
    CHECK(scaled("0.0125", {.power = 3, .rounds = true}) == 13);
    CHECK(wrong("0.0125", {.power = 3}) == "f:1: n: got 0.0125, expected 0 to 5");
    CHECK(wrong("5.001", {.power = 3}) == "f:1: n: got 5.001, expected 0 to 5");
    CHECK(wrong("-0.0001", {.power = 3, .rounds = true}) == "f:1: n: got -0.0001, expected 0 to 5");
    CHECK(wrong("\"5\"", {}) == "f:1: n: got no number, expected 0 to 5");
}

TEST_CASE("json_reader: unknown, missing and repeated keys are rejected") {
    const auto keys = [](std::string_view text) {
        return refusal(text, [](const text_file& file, const json_value& v) {
            const json_reader reader(file);
            reader.check_keys(v, "a thing", {"a", "b"});
            reader.needed(v, "a");
        });
    };
    CHECK(keys("{\"a\": 1}") == "");
    CHECK(keys("{\"a\": 1,\n\"c\": 1}") == "f:2: got unknown key \"c\" in a thing, expected a, b");
    CHECK(keys("{\"a\": 1,\n\"a\": 1}") == "f:2: got key \"a\" twice in a thing, expected once");
    CHECK(keys("\n{\"b\": 1}") == "f:2: a is required: a key of this object");
    CHECK(keys("[]") == "f:1: a thing: got no object, expected {a, b}");
}

TEST_CASE("json_reader: values of another kind are rejected") {
    const auto kinds = [](std::string_view text, auto ask) {
        return refusal(text, [&](const text_file& file, const json_value& v) { ask(json_reader(file), v); });
    };
    CHECK(kinds("1", [](auto reader, auto& v) { reader.list(v, "x"); }) == "f:1: x: got no list, expected [...]");
    CHECK(kinds("1", [](auto reader, auto& v) { reader.text(v, "x"); }) == "f:1: x: got no text, expected \"...\"");
    CHECK(kinds("1", [](auto reader, auto& v) { reader.truth(v, "x"); }) ==
          "f:1: x: got another value, expected true or false");
    CHECK(kinds("true", [](auto reader, auto& v) { CHECK(reader.truth(v, "x")); }) == "");
}
