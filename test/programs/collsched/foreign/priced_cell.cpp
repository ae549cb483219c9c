#include "examples/programs/collsched/foreign/priced_cell.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>

#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::foreign;

namespace {

priced_cell read(const std::string& line) {
    const text_file file{"cells", line};
    const cell_reader reader(file, compiled::registry());
    return reader.cell(json_reader(file).parse());
}

/// Returns a cell with all members.
priced_cell sample() {
    priced_cell cell{.of = {collective::allreduce, 12, 4096, association_class::rank}};
    decision row{.collective = collective::allreduce,
                 .ranks = 12,
                 .bytes = 4096,
                 .commutative = true,
                 .association = association_class::rank,
                 .algorithm = "segmented-ring",
                 .segment = 512,
                 .origin = decision::source::simulated,
                 .time = 1'234'567'890'123'456'789};  // more than a decision table holds
    cell.rows.push_back(row);
    row.commutative = false;
    row.algorithm = "recursive-doubling";
    row.segment = shape::as_it_is;
    cell.rows.push_back(row);
    cell.others = {{"rabenseifner", 17}, {"ring", 0}};
    cell.openmpi = {{openmpi_rules::collective::allreduce, 3, 4, 8192, 99}};
    cell.mpich = "MPIR_\"x";
    cell.is_final = false;
    cell.budget_us = 2'500'000;
    return cell;
}

std::string text_of_cell(const priced_cell& cell) {
    std::string text;
    write_cell(std::back_inserter(text), cell);
    return text;
}

}  // namespace

TEST_CASE("priced_cell: a cell that is written and read is the same") {
    const priced_cell cell = sample(), again = read(text_of_cell(cell));
    CHECK(again.of == cell.of);
    REQUIRE(again.rows.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) CHECK(again.rows[i] == cell.rows[i]);
    REQUIRE(again.others.size() == 2);
    CHECK(again.others[0].algorithm == "rabenseifner");
    CHECK(again.others[0].cost == 17);
    REQUIRE(again.openmpi.size() == 1);
    CHECK(again.openmpi[0].number == 3);
    CHECK(again.openmpi[0].segment == 8192);
    CHECK(again.mpich == cell.mpich);
    CHECK(!again.is_final);
    CHECK(text_of_cell(again) == text_of_cell(cell));
}

TEST_CASE("priced_cell: a line with a changed value is refused") {
    const std::string line = text_of_cell(sample());
    const auto changed = [&](const std::string& before, const std::string& after) {
        const std::size_t position = line.find(before);
        REQUIRE(position != line.npos);
        return std::string(line).replace(position, before.size(), after);
    };
    CHECK_NOTHROW(read(line));
    for (const auto& [before, after] :
         {std::pair("\"final\":false", "\"final\":1"),
          {"\"budget_us\":2500000", "\"budget_us\":-1"},
          {"\"class\":\"rank\"", "\"class\":\"ranks\""},
          {"\"collective\":\"allreduce\",\"ranks\":12", "\"collective\":\"x\",\"ranks\":12"},
          {"\"ranks\":12", "\"ranks\":0"},
          {"\"ranks\":12", "\"ranks\":13"},
          {"\"bytes\":4096", "\"bytes\":4097"},
          {"\"commutative\":true,", ""},
          {"\"algorithm\":\"segmented-ring\"", "\"algorithm\":\"rings\""},
          {"\"source\":\"simulated\"", "\"source\":\"measured\""},
          {"\"cost_ps\":17", "\"cost_ps\":-17"},
          {"\"cost_ps\":17", "\"cost_ps\":1.5"},
          {"\"algorithm\":\"rabenseifner\"", "\"algorithm\":\"no\""},
          {"\"number\":3", "\"number\":0"},
          {"\"mpich\":", "\"mpih\":"},
          {"}\n", "\n"}}) {
        CAPTURE(after);
        CHECK_THROWS_AS(read(changed(before, after)), input_error);
    }
}
