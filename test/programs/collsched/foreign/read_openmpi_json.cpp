#include "examples/programs/collsched/foreign/read_openmpi_json.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

#include "examples/programs/collsched/foreign/write_openmpi_json.hpp"

using namespace collsched;
using namespace collsched::foreign;
using namespace collsched::detail;

namespace {

openmpi_rules read(const std::string& text) { return read_openmpi_json(text_file{"rules.json", text}); }
std::string refusal(const std::string& text) {
    try {
        read(text);
    } catch (const input_error& wrong) {
        return wrong.what();
    }
    return "read";
}
std::string with(const std::string& collectives) {
    return "{\"rule_file_version\": 3, \"module\": \"tuned\",\n\"collectives\": " + collectives + "}";
}

}  // namespace

TEST_CASE("Open MPI JSON: written rules are read") {
    std::vector<openmpi_rules::rule> rules;
    for (const openmpi_algorithm& row : openmpi_algorithms) {
        if (!row.holds(openmpi_rules::release::v6_0) || !info_of(row.collective).in_schema) continue;
        const bool again = !rules.empty() && rules.back().collective == row.collective;
        rules.push_back({.collective = row.collective,
                         .ranks = again ? 8 : 1,
                         .number = row.number,
                         .fan = row.fan,
                         .segment = 64 * row.number,
                         .requests = row.number});
        if (again && rules[rules.size() - 2].ranks == 8) rules.back().bytes = 100 * row.number;
    }
    end_rules(rules);
    std::string text;
    write_openmpi_json(std::back_inserter(text), rules, {true, true});
    const openmpi_rules back = read(text);
    CHECK(back.version == openmpi_rules::release::v6_0);
    CHECK(back.findings.empty());
    REQUIRE(back.rules.size() == rules.size());
    for (std::size_t i = 0; i < rules.size(); ++i) CHECK(back.rules[i].same_as(rules[i]));
}

TEST_CASE("Open MPI JSON: names, defaults and the spread of ranks") {
    const openmpi_rules one =
        read(with("{\"allreduce\": [{\"comm_rank_distribution\": \"single-node\", \"rules\": [{\"alg\": \"ring\"},\n"
                  "{\"alg\": \"no such\"}, {\"alg\": \"ignore\"}]}]}"));
    REQUIRE(one.rules.size() == 3);
    CHECK(one.rules[0].number == 4);
    CHECK(one.rules[0].ranks == 0);
    CHECK(one.rules[0].last_ranks == openmpi_rules::rule::no_end);
    CHECK(one.rules[0].remark == "single-node");
    REQUIRE(one.findings.size() == 1);
    CHECK(one.findings[0].line == 3);
    // Open MPI's schema and its reader disagree about the name.
    CHECK(read(with("{\"reducescatter\": []}")).findings.at(0).text.find("ignores the whole file") !=
          std::string::npos);
    CHECK(read(with("{\"reduce_scatter\": []}")).findings.empty());
    CHECK(read(with("{\"gatherv\": []}")).findings.size() == 1);
}

TEST_CASE("Open MPI JSON: a comma after the last element is Open MPI's") {
    const openmpi_rules one =
        read(with("{\"bcast\": [{\"comm_size_min\": 2,\n\"rules\": [{\"msg_size_min\": 0, \"alg\": 6,\n},], },],}, "));
    REQUIRE(one.rules.size() == 1);
    CHECK(one.findings.empty());
    CHECK(one.rules[0].number == 6);
    CHECK(one.rules[0].line == 3);
    CHECK(refusal(with("{\"bcast\": [,]}")).starts_with("rules.json:2: got syntax error"));
    CHECK(refusal(with("{\"bcast\": []} // comment")).starts_with("rules.json:2: got syntax error"));
}

TEST_CASE("Open MPI JSON: malformed text is rejected with its line") {
    CHECK(refusal("{\n").find("rules.json:") == 0);
    CHECK(refusal("[]").find("rules.json:1: the file: got no object") == 0);
    CHECK(refusal("{\"module\": \"tuned\"}").find("rule_file_version is required") != std::string::npos);
    for (const char* const version : {"2", "3.5", "99", "\"3\""})
        CHECK(
            refusal("{\"rule_file_version\": " + std::string(version) + ", \"module\": \"tuned\", \"collectives\": {}}")
                .find("rule_file_version: got another version, expected 3") != std::string::npos);
    CHECK(refusal("{\"rule_file_version\": 3, \"module\": \"han\", \"collectives\": {}}").find("module: got \"han\"") !=
          std::string::npos);
    CHECK(refusal(with("[]")).find("rules.json:2: collectives: got no object") == 0);
    CHECK(refusal(with("{\"bcast\": {}}")).find("bcast: got no list") != std::string::npos);
    CHECK(refusal(with("{\"bcast\": [{}]}")).find("rules is required") != std::string::npos);
    CHECK(refusal(with("{\"bcast\": [{\"rules\": [{}]}]}")).find("alg is required") != std::string::npos);
    CHECK(refusal(with("{\"bcast\": [{\"rules\": [{\"alg\": -1}]}]}")).find("alg: got -1") != std::string::npos);
    CHECK(refusal(with("{\"bcast\": [{\"rules\": [{\"alg\": 1.5}]}]}")).find("alg: got 1.5") != std::string::npos);
    CHECK(refusal(with("{\"bcast\": [{\"comm_size_min\": \"many\", \"rules\": []}]}")).find("comm_size_min") !=
          std::string::npos);
    CHECK(refusal(with("{\"bcast\": [{\"rules\": [{\"alg\": 1, \"x\": 1}]}]}")).find("unknown key \"x\"") !=
          std::string::npos);
}
