#include "examples/programs/collsched/foreign/read_openmpi_rules.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

#include "examples/programs/collsched/foreign/write_openmpi_rules.hpp"

using namespace collsched;
using namespace collsched::foreign;
using namespace collsched::detail;

namespace {

openmpi_rules read(const std::string& text) { return read_openmpi_rules(text_file{"rules.conf", text}); }
std::string refusal(const std::string& text) {
    try {
        read(text);
    } catch (const input_error& wrong) {
        return wrong.what();
    }
    return "read";
}

}  // namespace

TEST_CASE("Open MPI text: written rules are read, for every text version") {
    for (const openmpi_rules::release version : openmpi_versions) {
        if (version == openmpi_rules::release::v6_0) continue;
        std::vector<openmpi_rules::rule> rules;
        for (const openmpi_algorithm& row : openmpi_algorithms) {
            if (!row.holds(version)) continue;
            const bool again = !rules.empty() && rules.back().collective == row.collective;
            rules.push_back({.collective = row.collective,
                             .ranks = again ? 8 : 1,
                             .number = row.number,
                             .segment = 64 * row.number});
            if (again && rules[rules.size() - 2].ranks == 8) rules.back().bytes = 100 * row.number;
        }
        end_rules(rules);
        std::string text;
        write_openmpi_rules(std::back_inserter(text), rules, openmpi_heading(version, {true, true}));
        const openmpi_rules back = read(text);
        CHECK(back.version == version);
        CHECK(back.format == 1);
        CHECK(back.findings.empty());
        REQUIRE(back.rules.size() == rules.size());
        for (std::size_t i = 0; i < rules.size(); ++i) CHECK(back.rules[i].same_as(rules[i]));
    }
}

TEST_CASE("Open MPI text: comments, blanks, and requests on the line of version 2") {
    const openmpi_rules one = read("# x\n 1 7 # bcast\n1\n\t4 2\n0 6 0 0\n8 3 2 64 # 5\n");
    CHECK(!one.version);
    REQUIRE(one.rules.size() == 2);
    CHECK(one.rules[1].line == 6);
    CHECK(one.rules[1].segment == 64);
    CHECK(one.rules[0].last_bytes == 7);
    const openmpi_rules two = read("rule-file-version-2\n1\n3\n1\n1\n2\n0 4 0 0 8\n100 4 0 0\n");
    CHECK(two.format == 2);
    REQUIRE(two.rules.size() == 2);
    CHECK(two.rules[0].requests == 8);
    CHECK(two.rules[1].requests == 0);
}

TEST_CASE("Open MPI text: malformed text is rejected with its line") {
    CHECK(refusal("") == "rules.conf:1: number of collectives: got the end of the file, expected 0..22");
    CHECK(refusal("1\n7\n1\n4\n2\n0 6 0 0\n") ==
          "rules.conf:7: message size: got the end of the file, expected 0..2^63-1");
    CHECK(refusal("23\n") == "rules.conf:1: number of collectives: got 23, expected 0..22");
    CHECK(refusal("1\n22\n") == "rules.conf:2: collective: got 22, expected 0..21");
    CHECK(refusal("1\n7\n4000000000\n") ==
          "rules.conf:3: number of communicator sizes: got 4000000000, expected 0..2147483647");
    CHECK(refusal("1\n7\n1\n-4\n") == "rules.conf:4: communicator size: got -4, expected 0..2147483647");
    CHECK(refusal("1\n7\n1\n4\n1\n0 x 0 0\n") == "rules.conf:6: algorithm: got x, expected 0..2147483647");
    CHECK(refusal("1\n7\n1\n4\n1\n0 010 0 0\n") == "rules.conf:6: algorithm: got 010, expected 0..2147483647");
    CHECK(refusal("rule-file-version-3\n0\n") == "rules.conf:1: rule-file-version: got 3, expected 0..2");
    CHECK(refusal("1\n7\n2147483647\n") ==
          "rules.conf:4: communicator size: got the end of the file, expected 0..2147483647");
    CHECK(refusal(std::string("1\n\0", 3)).find("zero byte") != std::string::npos);
}

TEST_CASE("Open MPI text: collectives without algorithms or given twice, and text after the rules") {
    CHECK(read("1\n5\n1\n1\n1\n0 1 0 0\n").findings.at(0).text.find("collective 5 has no algorithms") == 0);
    CHECK(read("1\n5\n1\n1\n1\n0 1 0 0\n").rules.empty());
    CHECK(read("2\n6\n1\n1\n1\n0 1 0 0\n6\n0\n").findings.at(0).text.find("barrier is there twice") == 0);
    CHECK(read("0\n7\n").findings.at(0).line == 2);
}
