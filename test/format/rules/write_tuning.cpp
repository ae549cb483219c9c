#include "collsched/format/rules/write_tuning.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>

using namespace collsched;

TEST_CASE("write_tuning: one line for the run, and one for each candidate") {
    std::string text;
    write_tuning_run(std::back_inserter(text), {.ranks = 4, .ranks_per_node = 2, .model = "a \"model\""});
    write_tuning_run(std::back_inserter(text), {.ranks = 1, .keeps_order = true});
    CHECK(text ==
          "{\"format\":\"collsched tuning\",\"version\":1,\"ranks\":4,\"ranks_per_node\":2,"
          "\"keep_order\":false,\"model\":\"a \\\"model\\\"\"}\n"
          "{\"format\":\"collsched tuning\",\"version\":1,\"ranks\":1,\"ranks_per_node\":1,"
          "\"keep_order\":true,\"model\":\"\"}\n");
    text.clear();
    write_tuning_row(std::back_inserter(text), {.collective = collective::scan,
                                                .ranks = 2,
                                                .bytes = 8,
                                                .algorithm = "linear",
                                                .origin = decision::source::measured,
                                                .time = 2,
                                                .time_low = 1,
                                                .time_high = 3,
                                                .runs = 9});
    CHECK(text ==
          "{\"collective\":\"scan\",\"ranks\":2,\"bytes\":8,\"algorithm\":\"linear\",\"source\":\"measured\","
          "\"time_us\":0.000002,\"time_low_us\":0.000001,\"time_high_us\":0.000003,\"runs\":9}\n");
}
