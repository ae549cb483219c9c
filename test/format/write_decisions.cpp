#include "collsched/format/write_decisions.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

using namespace collsched;

namespace {

const std::vector<decision> rows = {
    {.collective = collective::allreduce, .ranks = 2, .bytes = 0, .algorithm = "recursive-doubling"},
    {.collective = collective::broadcast,
     .ranks = 8,
     .bytes = 4096,
     .algorithm = "k-nomial",
     .segment = 512,
     .radix = 4}};

}  // namespace

TEST_CASE("write_decisions: a line of JSON for each row") {
    std::string text;
    write_decisions(std::back_inserter(text), rows);
    CHECK(text ==
          "{\"collective\":\"allreduce\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"recursive-doubling\"}\n"
          "{\"collective\":\"broadcast\",\"ranks\":8,\"bytes\":4096,\"algorithm\":\"k-nomial\",\"segment\":512,"
          "\"radix\":4}\n");
}

TEST_CASE("write_decisions: a header of constexpr data") {
    std::string text;
    write_decision_header(std::back_inserter(text), rows, "hockney:alpha_us=1,beta_ns=1");
    CHECK(text ==
          "// The cheapest algorithms under hockney:alpha_us=1,beta_ns=1, for find_decision(decisions, collective, "
          "ranks, "
          "bytes).\n"
          "#pragma once\n\n#include \"collsched/select/decision_table.hpp\"\n\n"
          "inline constexpr collsched::decision decisions[] = {\n"
          "    {.collective = collsched::collective::allreduce, .ranks = 2, .bytes = 0, .algorithm = "
          "\"recursive-doubling\"},\n"
          "    {.collective = collsched::collective::broadcast, .ranks = 8, .bytes = 4096, .algorithm = \"k-nomial\", "
          ".segment = 512, .radix = 4},\n};\n");
}
