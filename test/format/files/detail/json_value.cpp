#include "collsched/format/files/detail/json_value.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace collsched;
using namespace collsched::detail;

namespace {

json_value parse(std::string_view text) { return parse_json({"f", std::string(text)}); }

/// The value again, each part followed by its line.
std::string text_of(const json_value& value) {
    std::string text;
    if (const auto* x = value.as<double>()) text = fmt::format("{}", *x);
    else if (const auto* whole = value.as<std::int64_t>()) text = fmt::format("{}", *whole);
    else if (const auto* words = value.as<std::string>()) text = "'" + *words + "'";
    else if (const auto* truth = value.as<bool>()) text = *truth ? "true" : "false";
    else if (const auto* list = value.as<json_value::list>()) {
        for (const json_value& item : *list) text += text_of(item) + " ";
        text = "[" + text + "]";
    } else if (const auto* members = value.as<json_value::object>()) {
        for (const json_member& member : *members)
            text += member.key + "@" + std::to_string(member.line) + ":" + text_of(member.value) + " ";
        text = "{" + text + "}";
    } else {
        text = "null";
    }
    return text + "@" + std::to_string(value.line);
}

}  // namespace

TEST_CASE("json_value: values keep their kind and their order") {
    CHECK(text_of(parse("[1, -2, 2.5, 1e3, true, false, null, \"x\", [], {}]")) ==
          "[1@1 -2@1 2.5@1 1000@1 true@1 false@1 null@1 'x'@1 []@1 {}@1 ]@1");
    CHECK(text_of(parse("{\"b\": 1, \"a\": 2, \"b\": 3}")) == "{b@1:1@1 a@1:2@1 b@1:3@1 }@1");
    CHECK(text_of(parse("18446744073709551615")) == "1.8446744073709552e+19@1");
    CHECK(text_of(parse("[9223372036854775807, -9223372036854775808]")) ==
          "[9223372036854775807@1 -9223372036854775808@1 ]@1");
    CHECK(parse("3").number() == 3.0);
    CHECK(parse("0.5").number() == 0.5);
    CHECK(!parse("\"3\"").number());
    CHECK(text_of(parse("\xEF\xBB\xBF\n 5 ")) == "5@2");
}

TEST_CASE("json_value: the digits of decimal numbers are kept if requested") {
    const json_value all = parse_json({"f", "[0.70, 2.5e10, 7, 18446744073709551615]"}, json_numbers::as_decimal);
    const auto& items = *all.as<json_value::list>();
    CHECK(items[0].as<decimal>()->text() == "0.70");
    CHECK(items[0].number() == 0.7);
    CHECK(items[1].as<decimal>()->to_integer() == 25'000'000'000);
    CHECK(*items[2].as<std::int64_t>() == 7);
    CHECK(items[3].as<decimal>()->text() == "18446744073709551615");
}

TEST_CASE("json_value: every value has its line, numbers at the end of a line too") {
    CHECK(text_of(parse("\n[\n1\n,\n2,3\r\n,[\n\"x\"\n]\n]\n")) == "[1@3 2@5 3@5 ['x'@7 ]@6 ]@2");
    CHECK(text_of(parse("{\n\"a\":\n{\"b\"\n:\n-1.5e1\n\n}\n,\"c\"\n:\ntrue}")) ==
          "{a@2:{b@3:-15@5 }@3 c@8:true@10 }@1");
}

TEST_CASE("json_value: another format is named") {
    const auto refused = [](std::string_view text, const char* line) {
        CHECK_THROWS_WITH_AS(parse(text), line, input_error);
    };
    refused("# x\n- topology: t\n", "f:1: got text that looks like YAML such as a Slurm topology.yaml, expected JSON");
    refused("SwitchName=s Nodes=n", "f:1: got text that looks like a Slurm topology.conf, expected JSON");
    refused("\n<platform/>", "f:2: got text that looks like XML such as a SimGrid platform, expected JSON");
}

TEST_CASE("json_value: text that is no JSON is rejected in the line of the first wrong word") {
    const auto refused = [](std::string_view text, std::string_view begin) {
        try {
            parse(text);
            FAIL(text);
        } catch (const input_error& wrong) {
            const std::string line = wrong.what();
            CHECK_MESSAGE(line.starts_with(begin), line);
            const std::size_t expected = line.find(", expected ");
            CHECK_MESSAGE(expected != line.npos, line);
            CHECK_MESSAGE(line.find("expected ", expected + 11) == line.npos, line);
            CHECK(line.size() < 300);
        }
    };
    refused("", "f:1: got syntax error while parsing value - unexpected end of input");
    refused("{\"a\": 1,\n\"b\" 2}", "f:2: got syntax error while parsing object separator - unexpected number literal");
    refused("[1,\n \t\r\n ", "f:1: got syntax error while parsing value - unexpected end of input");
    refused("[1,\n\n", "f:1: got syntax error while parsing value - unexpected end of input");
    refused("[1,\n\n2 3]", "f:3: got syntax error while parsing array - unexpected number literal");
    refused("{}\n{}", "f:2: got syntax error while parsing value - unexpected '{'");
    refused("[\n'a']", "f:2: got syntax error while parsing value - invalid literal");
    refused("[\nNaN]", "f:2: got syntax error while parsing value - invalid literal");
    refused("[\n1e999]", "f:2: got number overflow parsing '1e999'");
    refused("[\n\"a\nb\"]", "f:2: got syntax error while parsing value - invalid string");
    refused("[\"\xff\"]", "f:1: got syntax error while parsing value - invalid string");
    refused("[\"" + std::string(5000, 'x'), "f:1: got syntax error while parsing value - invalid string");
}

TEST_CASE("json_value: nesting is limited, so that no recursion overflows") {
    const std::string open(1000, '['), close(1000, ']');
    CHECK(parse(open + close).as<json_value::list>() != nullptr);
    CHECK_THROWS_WITH_AS(parse("\n" + open + "[" + close + "]"),
                         "f:2: got too deep a nest, expected at most 1000 levels", input_error);
    CHECK_THROWS_AS(parse(std::string(1'000'000, '[')), input_error);
}
