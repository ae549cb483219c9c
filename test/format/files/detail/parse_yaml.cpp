#include "collsched/format/files/detail/parse_yaml.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace collsched;
using namespace collsched::detail;

namespace {

json_value parse(std::string_view text) { return parse_yaml({"f", std::string(text)}); }

/// Every value with its line: `'text'@1`, `[item item ]@1`, `{key@1:value }@1`, `null@1`.
std::string text_of(const json_value& value) {
    std::string text = "null";
    if (const auto* content = value.as<std::string>()) text = "'" + *content + "'";
    if (const auto* items = value.as<json_value::list>()) {
        text = "[";
        for (const json_value& item : *items) text += text_of(item) + " ";
        text += "]";
    }
    if (const auto* members = value.as<json_value::object>()) {
        text = "{";
        for (const json_member& member : *members)
            text += member.key + "@" + std::to_string(member.line) + ":" + text_of(member.value) + " ";
        text += "}";
    }
    return text + "@" + std::to_string(value.line);
}
void refused(std::string_view text, std::string_view line) {
    CHECK_THROWS_WITH_AS(parse(text), ("f:" + std::string(line)).c_str(), input_error);
}
std::string repeated(std::string_view piece, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += piece;
    return text;
}

}  // namespace

TEST_CASE("parse_yaml: lists, mappings and texts in either style, with their lines") {
    CHECK(text_of(parse("- a\n- b: 1\n  c:\n  - x y # z\n")) == "['a'@1 {b@2:'1'@2 c@3:['x y'@4 ]@4 }@2 ]@1");
    CHECK(text_of(parse("# x\n{a: [1, \"2\"], 'b': {c: ~}}")) == "{a@2:['1'@2 '2'@2 ]@2 b@2:{c@2:null@2 }@2 }@2");
    CHECK(text_of(parse("---\na: |\n  x\n  y\n...\n")) == "{a@2:'x\ny\n'@2 }@2");
    CHECK(text_of(parse("- n[01-04]\n-\n- true\n")) == "['n[01-04]'@1 null@3 'true'@3 ]@1");
    CHECK(text_of(parse("a:\nb: ~\n\nc:\n")) == "{a@1:null@1 b@2:null@2 c@4:null@4 }@1");
    CHECK(text_of(parse("a: 1\na: 2")) == "{a@1:'1'@1 a@2:'2'@2 }@1");
    CHECK(text_of(parse("- &x a\n- b\n")) == "['a'@1 'b'@2 ]@1");
    CHECK(parse("").is_null());
    CHECK(parse("# x\n").is_null());
}

TEST_CASE("parse_yaml: text that is no YAML is rejected with its line") {
    refused("a: b\n- c", "2: got end of map not found, expected YAML");
    refused("a: b: c", "1: got illegal map value, expected YAML");
    refused("a: 'x", "1: got illegal EOF in scalar, expected YAML");
    refused(std::string_view("a\nb\0", 4), "2: got a zero byte, expected YAML");
}

TEST_CASE("parse_yaml: aliases, tags, other documents and keys that are no texts are rejected") {
    refused("- &x a\n- *x\n", "2: got an alias, expected YAML without aliases");
    refused("- a\n- *y\n", "2: got the referenced anchor is not defined, expected YAML");
    refused("- a\n- !!binary b\n", "2: got a tag, expected YAML without tags");
    refused("!x\n- a\n", "1: got a tag, expected YAML without tags");
    refused("a: !x {b: c}\n", "1: got a tag, expected YAML without tags");
    refused("a\n---\nb\n", "2: got a second document, expected one document");
    refused("[a]: b", "1: got a key that is no text, expected KEY: VALUE");
    refused("? {a: b}\n: c", "1: got a key that is no text, expected KEY: VALUE");
}

TEST_CASE("parse_yaml: a deep nest is rejected before it takes the stack") {
    const auto nest = [](std::string_view open, std::string_view close, int levels) {
        std::string text, end;
        for (int i = 0; i < levels; ++i) text += open, end += close;
        return text + "x" + end;
    };
    CHECK(parse(nest("[", "]", 16)).as<json_value::list>() != nullptr);
    refused(nest("[", "]", 17), "1: got too deep a nest, expected at most 16 levels");
    for (const std::string_view open : {"[", "{", "- ", "? ", ": ", "[{a: "})
        CHECK_THROWS_AS(parse(repeated(open, 200'000)), input_error);
}

TEST_CASE("parse_yaml: a bomb of aliases and a text without end are rejected") {
    std::string bomb = "- &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 30; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        bomb += "- &a" + std::to_string(i) + " [" + before + ", " + before + ", " + before + "]\n";
    }
    refused(bomb, "2: got an alias, expected YAML without aliases");
    refused(repeated("#\n", (std::size_t{1} << 21) + 1),
            "1: got more than 2^21 bytes, expected YAML of at most 2^21 bytes");
    CHECK(parse(repeated("#\n", std::size_t{1} << 21)).is_null());
}
