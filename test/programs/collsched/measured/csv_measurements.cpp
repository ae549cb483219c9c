#include "examples/programs/collsched/measured/csv_measurements.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::measured;

namespace {

std::vector<measured_row> read(const std::string& text, bool has_times = true) {
    const text_file file{"f", text};
    return csv_measurements(file, has_times).read();
}
std::string refused(const std::string& text) {
    return support::refusal_of([&] { read(text); });
}
const std::string header = "collective,nodes,bytes,algorithm,median_us\n";

}  // namespace

TEST_CASE("csv_measurements: columns in any order, others ignored") {
    const std::vector<measured_row> rows = read(
        "median_us,x,bytes,mpi,algorithm,nodes,collective,gpu,ranks_per_node,machine\n"
        "1.5,?,64,M,ring,4x2,bcast,yes,3,A\n");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].time.where == measured_case{collective::broadcast, 24, 3, 64, "yes,M"});
    CHECK(rows[0].time.algorithm == "ring");
    CHECK(rows[0].time.us == doctest::Approx(1.5));
    CHECK(rows[0].machine == "A");
    CHECK(rows[0].collective == "bcast");
    CHECK(rows[0].nodes == "4x2");
    CHECK(rows[0].line == 2);
}

TEST_CASE("csv_measurements: the first line is known by two names of columns, or by commas without blanks") {
    for (const char* line : {"collective,nodes", "x, bytes, algorithm", "a,b", "4,gather"})
        CHECK(csv_measurements::is_header(line));
    for (const char* line : {"", "bytes", "loading, please wait", "warning: gpu, 8 found", "8 2"})
        CHECK_FALSE(csv_measurements::is_header(line));
}

TEST_CASE("csv_measurements: column ranks replaces nodes times ranks per node") {
    const auto rows = read("collective,ranks,bytes,algorithm,median_us\nreduce,12,8,a,1\n");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].time.where.ranks == 12);
    CHECK(rows[0].nodes == "12");
    const auto both = read("collective,nodes,ranks_per_node,ranks,bytes,algorithm,median_us\nreduce,4,,12,8,a,1\n");
    CHECK(both[0].time.where.ranks == 12);
    CHECK(both[0].time.where.ranks_per_node == 1);
    CHECK(both[0].nodes == "4");
}

TEST_CASE("csv_measurements: comments, empty lines, blanks and repeated headers are skipped") {
    const auto rows = read("# times\r\n\r\n" + header + " gather , 4 , 8 , a , 2 \r\n" + header + "gather,4,16,a,3");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].time.algorithm == "a");
    CHECK(rows[1].time.where.bytes == 16);
    CHECK(read(header).empty());
}

TEST_CASE("csv_measurements: times are not read where cases are") {
    const auto rows = read("collective,nodes,bytes,algorithm,median_us\ngather,4,8,a,none\n", false);
    REQUIRE(rows.size() == 1);
    CHECK_FALSE(rows[0].time.us > 0);
    CHECK(read("collective,nodes,bytes,algorithm\ngather,4,8,a\n", false).size() == 1);
}

TEST_CASE("csv_measurements: invalid files are reported with their line") {
    CHECK(refused("") ==
          "f: got no column names, expected columns collective, nodes or ranks, bytes, algorithm, median_us");
    CHECK(refused("collective,nodes,bytes,algorithm\n").starts_with("f:1: got no column median_us, expected "));
    CHECK(
        refused("collective,bytes,algorithm,median_us\n").starts_with("f:1: got no column nodes and no column ranks,"));
    CHECK(refused("bytes,bytes\n").starts_with("f:1: got column bytes twice, expected "));
    CHECK(refused(header + "gather,4,8,a\n") == "f:2: got 4 fields, expected 5 as in the header");
    CHECK(refused(header + "gather,4,8,a,1,2\n").starts_with("f:2: got 6 fields, expected "));
    CHECK(refused(header + "barrier,4,8,a,1\n").starts_with("f:2: collective: got \"barrier\", expected allgather, "));
    CHECK(refused(header + ",4,8,a,1\n").starts_with("f:2: collective is required: "));
    CHECK(refused(header + "gather,4,-8,a,1\n").starts_with("f:2: bytes: got \"-8\", expected a whole number, 1 to "));
    CHECK(refused(header + "gather,4,8.5,a,1\n").starts_with("f:2: bytes: got \"8.5\", expected "));
    CHECK(refused(header + "gather,4,8,,1\n") == "f:2: algorithm is required: a name");
    CHECK(refused(header + "gather,4,8,a,1\ngather,4,8,a,nan\n").starts_with("f:3: median_us: got \"nan\", expected "));
    CHECK(refused("collective,nodes,ranks_per_node,bytes,algorithm,median_us\ngather,1073741824,2,8,a,1\n") ==
          "f:2: got 1073741824 nodes of 2 ranks, expected 2^30 ranks at most");
}
