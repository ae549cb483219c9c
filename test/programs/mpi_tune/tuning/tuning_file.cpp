#include "examples/programs/mpi_tune/tuning/tuning_file.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::tuning;

namespace {

const tuning_run run{.ranks = 8, .ranks_per_node = 4, .keeps_order = true, .model = "loggp:L_us=1"};
const std::vector<decision> rows = {{.collective = collective::allreduce,
                                     .ranks = 8,
                                     .ranks_per_node = 4,
                                     .bytes = 64,
                                     .commutative = true,
                                     .algorithm = "recursive-multiplying",
                                     .radix = 4,
                                     .origin = decision::source::measured,
                                     .time = 12'345'678,
                                     .time_low = 12'000'000,
                                     .time_high = 13'000'000,
                                     .runs = 120},
                                    {.collective = collective::barrier,
                                     .ranks = 2,
                                     .algorithm = "dissemination",
                                     .origin = decision::source::measured,
                                     .time = 1,
                                     .time_low = 1,
                                     .time_high = 1,
                                     .runs = 1}};

std::string written() {
    std::string text;
    write_tuning_run(std::back_inserter(text), run);
    for (const decision& row : rows) write_tuning_row(std::back_inserter(text), row);
    return text;
}
tuning_file read(const std::string& text) { return read_tuning({"f", text}, compiled::registry()); }
void refused(const std::string& text, const std::string& line) {
    CHECK_THROWS_WITH_AS(read(text), ("f:" + line).c_str(), input_error);
}

}  // namespace

TEST_CASE("read_tuning: a file is the same after it was written and read") {
    const tuning_file file = read(written());
    CHECK(file.run == run);
    CHECK(file.rows == rows);
    CHECK(file.unfinished == 0);
}

TEST_CASE("read_tuning: a file cut at any byte has the lines before the cut") {
    const std::string text = written();
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const tuning_file file = read(text.substr(0, size));
        std::size_t lines = 0, end = 0;
        for (std::size_t i = 0; i < size; ++i)
            if (text[i] == '\n') ++lines, end = i + 1;
        CAPTURE(size);
        CHECK(file.run.has_value() == (lines > 0));
        CHECK(file.rows.size() == (lines > 0 ? lines - 1 : 0));
        CHECK(file.unfinished == size - end);
    }
}

TEST_CASE("read_tuning: errors are reported with their line") {
    const std::string head =
        "{\"format\":\"collsched tuning\",\"version\":1,\"ranks\":8,\"ranks_per_node\":4,"
        "\"keep_order\":false,\"model\":\"\"}\n";
    const auto row = [](const std::string& rest) {
        return "{\"collective\":\"scan\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"linear\"" + rest + "}\n";
    };
    CHECK(read(head).rows.empty());
    refused("{\"format\":\"collsched decisions\"}\n",
            "1: format: got \"collsched decisions\", expected \"collsched tuning\"");
    refused("{\"format\":\"collsched tuning\",\"version\":2}\n", "1: version: got 2, expected a whole number, 1 to 1");
    refused("{\"format\":\"collsched tuning\",\"version\":1,\"ranks\":2,\"ranks_per_node\":3}\n",
            "1: ranks_per_node: got 3, expected a whole number, 1 to 2");
    refused(head + row(""), "2: source: got \"stated\", expected \"measured\"");
    refused(head + row(",\"source\":\"measured\""), "2: time_us is required: the median, above 0");
    refused(head + "\n" + row(",\"source\":\"measured\",\"time_us\":2,\"time_low_us\":3,\"time_high_us\":3,\"runs\":1"),
            "3: time_low_us: got 3.000000, expected above 0, at most time_us");
    refused(head + row(",\"source\":\"measured\",\"time_us\":2,\"time_low_us\":1,\"time_high_us\":1,\"runs\":1"),
            "2: time_high_us: got 1.000000, expected time_us or more");
    refused(head + row(",\"source\":\"measured\",\"time_us\":2,\"time_low_us\":1,\"time_high_us\":3"),
            "2: runs: got 0, expected 1 or more");
    refused(head + "{\"collective\":\"scan\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"lineal\"}\n",
            "2: algorithm: got \"lineal\", expected one of 'collsched list'");
}

TEST_CASE("tuning_file: one line for the run, and one for each candidate") {
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
