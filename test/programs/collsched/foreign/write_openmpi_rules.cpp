#include "examples/programs/collsched/foreign/write_openmpi_rules.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

using namespace collsched;
using namespace collsched::foreign;
using enum openmpi_rules::collective;

TEST_CASE("write_openmpi_rules: rules by collective, ranks and bytes, each preceded by its count") {
    const std::vector<openmpi_rules::rule> rules = {
        {.collective = allgather, .ranks = 2, .number = 3},
        {.collective = allgather, .ranks = 2, .bytes = 4096, .number = 4},
        {.collective = allgather, .ranks = 16, .number = 5, .remark = "neighbor-exchange; pat is better"},
        {.collective = reduce_scatter, .ranks = 1, .number = 4},
        {.collective = bcast, .ranks = 0, .number = 6},
        {.collective = bcast, .ranks = 0, .bytes = 65536, .number = 3, .fan = 2, .segment = 8192}};
    std::string text;
    write_openmpi_rules(std::back_inserter(text), rules, openmpi_heading(openmpi_rules::release::v4_1, {}));
    CHECK(text ==
          "# Open MPI 4.1, component tuned\n"
          "3 # collectives\n"
          "0 # allgather\n3 # communicator sizes\n"
          "1 # ranks or more\n1 # message sizes\n0 0 0 0 # its own choice\n"
          "2 # ranks or more\n2 # message sizes\n0 3 0 0\n4096 4 0 0\n"
          "16 # ranks or more\n1 # message sizes\n0 5 0 0 # neighbor-exchange; pat is better\n"
          "12 # reduce_scatter\n1 # communicator sizes\n1 # ranks or more\n1 # message sizes\n0 4 0 0\n"
          "7 # bcast\n1 # communicator sizes\n0 # ranks or more\n2 # message sizes\n0 6 0 0\n65536 3 2 8192\n");
}

TEST_CASE("write_openmpi_rules: no rules are a heading and a count of 0") {
    std::string text;
    write_openmpi_rules(std::back_inserter(text), std::span<const openmpi_rules::rule>{}, "# nothing");
    CHECK(text == "# nothing\n0 # collectives\n");
}

TEST_CASE("write_openmpi_rules: the heading names the version and the assumptions about programs") {
    const std::string plain = openmpi_heading(openmpi_rules::release::v5_0, {});
    CHECK(plain.find("5.0") != plain.npos);
    CHECK(plain.find("only") == plain.npos);
    const std::string commutes = openmpi_heading(openmpi_rules::release::v5_0, {.commutative_only = true});
    CHECK(commutes.find("commutative-only") != commutes.npos);
    CHECK(commutes.find("equal-arguments") == commutes.npos);
    const std::string both = openmpi_heading(openmpi_rules::release::v5_0, {true, true});
    CHECK(both.find("commutative-only") != both.npos);
    CHECK(both.find("equal-arguments") != both.npos);
    CHECK(both.find('\n') == both.npos);
}
