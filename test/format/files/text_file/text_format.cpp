#include "collsched/format/files/text_file.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("text_file: the first character distinguishes JSON and XML") {
    CHECK(text_format_of(" \n\t{") == text_file::format::json);
    CHECK(text_format_of("[1]") == text_file::format::json);
    CHECK(text_format_of("\r\n<a/>") == text_file::format::xml);
    CHECK(text_format_of("") == text_file::format::empty);
    CHECK(text_format_of(" \n\t\r") == text_file::format::empty);
    CHECK(text_format_of("# a\n\n  # b") == text_file::format::empty);
}

TEST_CASE("text_file: the first line that is no comment distinguishes YAML and configuration files") {
    for (const std::string_view text :
         {"- topology: t", "# x\n\n-\n", "---", "--- # x", "%YAML 1.2", "topology: t", "a:", "  - a", "-\ta", "a: b=c"})
        CHECK_MESSAGE(text_format_of(text) == text_file::format::yaml, text);
    for (const std::string_view text : {"SwitchName=s Nodes=n", "# x\n BlockName = b", "a=b: c", "Include x",
                                        "include\tx", "include=x", "RingName=r"})
        CHECK_MESSAGE(text_format_of(text) == text_file::format::slurm_conf, text);
    for (const std::string_view text :
         {"8 # ranks", "hello", "include", "includes x", "-1 2", "a:b", "=", ": a", "\"a\": 1", "?", "a b=c", "\\"})
        CHECK_MESSAGE(text_format_of(text) == text_file::format::unknown, text);
}

TEST_CASE("text_file: a reader of JSON or numbers names the format that a text looks like") {
    CHECK(foreign_format("<a/>") == "XML such as a SimGrid platform");
    CHECK(foreign_format("# x\nSwitchName=s Nodes=n") == "a Slurm topology.conf");
    CHECK(foreign_format("- topology: t") == "YAML such as a Slurm topology.yaml");
    for (const std::string_view text : {"", "{", "[", "1 2", "hello"}) CHECK(foreign_format(text).empty());
}

TEST_CASE("rules_format: tables, rules and selection files are distinguished from other texts") {
    const auto is = [](std::string_view text, std::string_view part) {
        const char* const format = rules_format(text);
        return format != nullptr && std::string_view(format).find(part) != part.npos;
    };
    CHECK(is("# Open MPI 4.1, component tuned\n2 # collectives\n", "Open MPI"));
    CHECK(is("\n  1\n7\n", "Open MPI"));
    CHECK(is("rule-file-version-2\n1\n", "Open MPI"));
    CHECK(is("{\"rule_file_version\": 3, \"module\": \"tuned\"}", "Open MPI 6.0"));
    CHECK(is("{\"collective=bcast\": {}}", "MPICH"));
    CHECK(is("{\"format\":\"collsched decisions\"}", "decision table"));
    CHECK(is("{\"collective\":\"scan\"}", "decision table"));
    for (const std::string_view other : {"", " \n", "# only a comment\n", "SwitchName=s0 Nodes=n[0-3]\n",
                                         "<?xml version=\"1.0\"?>", "{\"nodes\": []}", "[1, 2]", "- topology: x\n"})
        CHECK(rules_format(other) == nullptr);
}
