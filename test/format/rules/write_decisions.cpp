#include "collsched/format/rules/write_decisions.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <span>
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

TEST_CASE("write_decisions: version 1, with a line for each row") {
    std::string text;
    write_decisions(std::back_inserter(text), rows, "by \"hand\"");
    CHECK(text ==
          "{\"format\":\"collsched decisions\",\"version\":1,\"description\":\"by \\\"hand\\\"\",\"rows\":[\n"
          "{\"collective\":\"allreduce\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"recursive-doubling\"},\n"
          "{\"collective\":\"broadcast\",\"ranks\":8,\"bytes\":4096,\"algorithm\":\"k-nomial\",\"parameters\":{"
          "\"segment\":512,"
          "\"radix\":4}}\n]}\n");
    text.clear();
    write_decisions(std::back_inserter(text), std::span<const decision>(), "");
    CHECK(text == "{\"format\":\"collsched decisions\",\"version\":1,\"description\":\"\",\"rows\":[\n]}\n");
}

TEST_CASE("write_decisions: a table with a class of brackets has version 2") {
    std::string text;
    std::vector<decision> table = rows;
    table[0].association = association_class::canonical;
    write_decisions(std::back_inserter(text), table, "");
    CHECK(text.starts_with("{\"format\":\"collsched decisions\",\"version\":2,"));
    CHECK(text.find("\"bytes\":0,\"association\":\"canonical\",\"algorithm\":\"recursive-doubling\"}") != text.npos);
    CHECK(text.find("\"bytes\":4096,\"algorithm\"") != text.npos);
}

TEST_CASE("write_decision: members with their defaults are left out, and times that are too long") {
    const auto written = [](const decision& row) {
        std::string text;
        write_decision(std::back_inserter(text), row);
        return text;
    };
    decision row{.collective = collective::reduce,
                 .ranks = 8,
                 .ranks_per_node = 4,
                 .bytes = 1,
                 .commutative = true,
                 .algorithm = "ring",
                 .origin = decision::source::measured,
                 .time = 12'500'000,
                 .time_low = 12'000'001,
                 .time_high = detail::decision_time_limit,
                 .runs = 40};
    const std::string head =
        "{\"collective\":\"reduce\",\"ranks\":8,\"ranks_per_node\":4,\"bytes\":1,\"commutative\":true,\"algorithm\":"
        "\"ring\","
        "\"source\":\"measured\",\"time_us\":12.500000,\"time_low_us\":12.000001";
    CHECK(written(row) == head + ",\"time_high_us\":1000000000.000000,\"runs\":40}");
    row.time_high += 1;
    CHECK(written(row) == head + ",\"runs\":40}");
}
