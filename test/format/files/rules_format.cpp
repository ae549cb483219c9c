#include "collsched/format/files/rules_format.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace collsched;

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
