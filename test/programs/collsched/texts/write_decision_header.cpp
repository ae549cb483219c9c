#include "examples/programs/collsched/texts/write_decision_header.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

using namespace collsched;
using namespace collsched::texts;

TEST_CASE("write_decision_header: constexpr data with all members that have values") {
    std::string text;
    const std::vector<decision> table = {{.collective = collective::broadcast,
                                          .ranks = 8,
                                          .bytes = 4096,
                                          .algorithm = "k-nomial",
                                          .segment = 512,
                                          .radix = 4},
                                         {.collective = collective::reduce,
                                          .ranks = 8,
                                          .ranks_per_node = 4,
                                          .bytes = 1,
                                          .commutative = true,
                                          .algorithm = "ring",
                                          .origin = decision::source::measured,
                                          .time = 5,
                                          .time_low = 4,
                                          .time_high = 6,
                                          .runs = 7}};
    write_decision_header(std::back_inserter(text), table,
                          "The cheapest algorithms under hockney:alpha_us=1,beta_ns=1");
    CHECK(text ==
          "// The cheapest algorithms under hockney:alpha_us=1,beta_ns=1, for find_decision(decisions, call).\n"
          "#pragma once\n\n#include \"collsched/select/decision_table.hpp\"\n\n"
          "inline constexpr collsched::decision decisions[] = {\n"
          "    {.collective = collsched::collective::broadcast, .ranks = 8, .bytes = 4096, .algorithm = \"k-nomial\", "
          ".segment = 512, .radix = 4},\n"
          "    {.collective = collsched::collective::reduce, .ranks = 8, .ranks_per_node = 4, .bytes = 1, "
          ".commutative = true, .algorithm = \"ring\", .origin = collsched::decision::source::measured, .time = 5, "
          ".time_low = 4, .time_high = 6, .runs = 7},\n};\n");
}

TEST_CASE("write_decision_header: the class of brackets of a row") {
    std::string text;
    const std::vector<decision> table = {{.collective = collective::allreduce,
                                          .ranks = 2,
                                          .association = association_class::canonical,
                                          .algorithm = "recursive-doubling"}};
    write_decision_header(std::back_inserter(text), table, "");
    CHECK(text.find(".bytes = 0, .association = collsched::association_class::canonical, .algorithm") != text.npos);
}
