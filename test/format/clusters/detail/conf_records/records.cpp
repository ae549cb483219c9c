#include "collsched/format/clusters/detail/conf_records.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace collsched;
using namespace collsched::detail;

namespace {

/// "KEY=VALUE@LINE KEY=VALUE@LINE; ..."
std::string text_of(std::string_view text) {
    const text_file file{"f", std::string(text)};
    std::string all;
    for (const conf_record& record : conf_records(file)) {
        for (const conf_setting& one : record) all += one.key + "=" + one.value + "@" + std::to_string(one.line) + " ";
        all.back() = ';';
    }
    return all;
}

}  // namespace

TEST_CASE("conf_records: a record is a line of settings") {
    CHECK(text_of("A=1 b=n[0-3]\n\nC=x,y\n") == "A=1@1 b=n[0-3]@1;C=x,y@3;");
    CHECK(text_of("  A = 1\tB= 2  \n") == "A=1@1 B=2@1;");
    CHECK(text_of("A=\"1 2\" B=\"3\"") == "A=1 2@1 B=3@1;");
    CHECK(text_of("A=b=c") == "A=b=c@1;");
    CHECK(text_of("").empty());
    CHECK(text_of("\n \t\r\n").empty());
}

TEST_CASE("conf_records: a value in quotes may be empty") { CHECK(text_of("A=\"\" B=1") == "A=@1 B=1@1;"); }

TEST_CASE("conf_records: a backslash escapes a comment sign or another backslash") {
    CHECK(text_of("A=1\\#2 # B=3") == "A=1#2@1;");
    CHECK(text_of("A=1\\\\# B=3") == "A=1\\@1;");
    CHECK(text_of("A=1\\\\\nB=2") == "A=1\\@1;B=2@2;");
    CHECK(text_of("A=1\\\\\\\n B=2") == "A=1\\@1 B=2@2;");
    CHECK(text_of("A=1\\x") == "A=1x@1;");
}

TEST_CASE("conf_records: an include line in a text without a path is rejected") {
    for (const std::string_view text : {"A=1\ninclude x.conf", "A=1\n INCLUDE\tx.conf # y", "\nInclude"})
        CHECK_THROWS_WITH_AS(text_of(text),
                             "f:2: got an include line, expected none in a text that was not read from a file",
                             input_error);
    CHECK(text_of("include=1\nincluded = 2\nA=1 \\\ninclude=2") == "include=1@1;included=2@2;A=1@3 include=2@4;");
}

TEST_CASE("conf_records: comments and line ends of any kind are removed") {
    CHECK(text_of("# A=1\nB=2 # C=3\r\nD=4#5\n#") == "B=2@2;D=4@3;");
}

TEST_CASE("conf_records: a backslash joins lines, and settings keep their own lines") {
    CHECK(text_of("A=1 \\\n  B=2 \\\n  C=3\nD=4") == "A=1@1 B=2@2 C=3@3;D=4@4;");
    CHECK(text_of("A=n[0-\\\n3] B=2") == "A=n[0-3]@1 B=2@2;");
    CHECK(text_of("A=1 \\  # more\r\nB=2") == "A=1@1 B=2@2;");
    CHECK(text_of("A=1 \\") == "A=1@1;");
    CHECK(text_of("\\\n\\\nA=1") == "A=1@3;");
}

TEST_CASE("conf_records: a line that is no setting is rejected with its line number") {
    const auto refused = [](std::string_view text, std::string_view line) {
        CHECK_THROWS_WITH_AS(text_of(text), ("f:" + std::string(line) + ", expected KEY=VALUE").c_str(), input_error);
    };
    refused("A=1\nwords", "2: got \"words\"");
    refused("A=1 \\\nwords here", "2: got \"words\"");
    refused("=1", "1: got \"=1\"");
    refused("A=", "1: got \"A=\"");
    refused("A=\"1", "1: got \"A=\\\"1\"");
    refused("A=\"1\"B", "1: got \"B\"");
    refused("\"A\"=1", "1: got \"\\\"A\\\"=1\"");
}
