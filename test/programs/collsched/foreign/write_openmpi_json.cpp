#include "examples/programs/collsched/foreign/write_openmpi_json.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

using namespace collsched;
using namespace collsched::foreign;
using enum openmpi_rules::collective;

namespace {

std::string json(std::vector<openmpi_rules::rule> rules, openmpi_rules::program_properties programs = {}) {
    end_rules(rules);
    std::string text;
    write_openmpi_json(std::back_inserter(text), rules, programs);
    return text;
}

}  // namespace

TEST_CASE("JSON for Open MPI: ranges are complete, and settings are written if there are any") {
    CHECK(json({{.collective = alltoall, .ranks = 4, .number = 4, .requests = 8},
                {.collective = bcast, .ranks = 2, .number = 6},
                {.collective = bcast, .ranks = 2, .bytes = 65536, .number = 3, .fan = 2, .segment = 8192},
                {.collective = bcast, .ranks = 16, .number = 1}}) ==
          "{\n  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n  \"collectives\": {\n"
          "    \"alltoall\": [\n"
          "      {\"comm_size_min\": 4, \"comm_size_max\": \"inf\", \"rules\": [\n"
          "        {\"msg_size_min\": 0, \"msg_size_max\": \"inf\", \"alg\": 4, \"reqs\": 8}\n      ]}\n    ],\n"
          "    \"bcast\": [\n"
          "      {\"comm_size_min\": 2, \"comm_size_max\": 15, \"rules\": [\n"
          "        {\"msg_size_min\": 0, \"msg_size_max\": 65535, \"alg\": 6},\n"
          "        {\"msg_size_min\": 65536, \"msg_size_max\": \"inf\", \"alg\": 3, \"faninout\": 2, \"seg_size\": "
          "8192}\n"
          "      ]},\n"
          "      {\"comm_size_min\": 16, \"comm_size_max\": \"inf\", \"rules\": [\n"
          "        {\"msg_size_min\": 0, \"msg_size_max\": \"inf\", \"alg\": 1}\n      ]}\n    ]\n  }\n}\n");
}

TEST_CASE("JSON for Open MPI: no rules, and the assumptions about programs") {
    CHECK(json({}) == "{\n  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n  \"collectives\": {}\n}\n");
    CHECK(
        json({}, {.commutative_only = true}).find("\"$schema\": \"tuned_dynamic_file_schema.json#commutative-only\"") !=
        std::string::npos);
    CHECK(json({}, {true, true}).find("#commutative-only,equal-arguments\"") != std::string::npos);
}
