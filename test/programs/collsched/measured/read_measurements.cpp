#include "examples/programs/collsched/measured/read_measurements.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::measured;

namespace {

const std::string csv = "collective,nodes,bytes,algorithm,median_us\ngather,4,8,a,2\n",
                  osu = "# OSU MPI Gather Latency Test v5.9\n# Size       Avg Latency(us)\n8 2\n";

std::string refused(const std::string& text, const measurement_defaults& defaults = {}) {
    return support::refusal_of([&] { read_measurements(text_file{"f", text}, defaults); });
}

}  // namespace

TEST_CASE("read_measurements: CSV and the output of benchmarks have the same rows") {
    const auto from_csv = read_measurements(text_file{"f", csv}).rows;
    const auto from_osu = read_measurements(text_file{"f", osu}, {.algorithm = "a", .ranks = 4}).rows;
    REQUIRE(from_csv.size() == 1);
    REQUIRE(from_osu.size() == 1);
    CHECK(from_csv[0].time.us == doctest::Approx(from_osu[0].time.us));
    CHECK(from_csv[0].time.algorithm == from_osu[0].time.algorithm);
    CHECK(from_csv[0].time.where.ranks == from_osu[0].time.where.ranks);
    CHECK(from_csv[0].time.where.bytes * 4 == from_osu[0].time.where.bytes);
    CHECK(is_benchmark_output(osu));
    CHECK_FALSE(is_benchmark_output(csv));
}

TEST_CASE("read_measurements: comments of a benchmark do not make CSV its output") {
    for (const char* comment : {"# OSU MPI Gather Latency Test v5.9\n", "# Benchmarking Gather\n", "# Size\n"}) {
        CAPTURE(comment);
        CHECK_FALSE(is_benchmark_output(comment + csv));
        CHECK_FALSE(is_benchmark_output("\n" + csv + comment));
        CHECK(read_measurements(text_file{"f", comment + csv}).rows.size() == 1);
        CHECK(
            refused(comment + std::string("collectiv,nodes\ngather,4\n")).starts_with("f:2: got no column collective"));
        CHECK(refused(comment + std::string("4,gather,8,a,2\n")).starts_with("f:2: got no column collective"));
    }
}

TEST_CASE("read_measurements: output is known by its titles, headers and rows") {
    for (const char* text : {"8 2\n", "loading, please wait\n8 2\n", "# Size       Avg Latency(us)\n8 2\n",
                             "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n", "text\n# OSU MPI Gather"}) {
        CAPTURE(text);
        CHECK(is_benchmark_output(text));
    }
    for (const char* text : {"", "{}", "text\n", "# text\n", "8,2\n", "collective, nodes\n8 2\n"}) {
        CAPTURE(text);
        CHECK_FALSE(is_benchmark_output(text));
    }
    CHECK(refused("8 2\n", {.algorithm = "a", .ranks = 4})
              .starts_with("f:1: got no time of a collective, but rows without the title of a benchmark above"));
}

TEST_CASE("read_measurements: the output of benchmarks requires an algorithm") {
    CHECK(refused(osu) == "--algorithm is required: the algorithm that the benchmark ran");
    CHECK(refused(osu, {.algorithm = "a"}).starts_with("f:3: got an unknown number of ranks, expected "));
}

TEST_CASE("read_measurements: other texts and missing files are reported") {
    CHECK(refused("{}").starts_with("f:1: got no column collective, expected "));
    CHECK(refused(csv + std::string(1, '\0')).starts_with("f:3: got a zero byte, expected "));
    CHECK_THROWS_AS(read_measurements(std::filesystem::path("no such file")), input_error);
    CHECK_THROWS_AS(read_cases(std::filesystem::path("no such file")), input_error);
}

TEST_CASE("read_cases: rows without times") {
    const auto rows = read_cases(text_file{"f", "algorithm,bytes,ranks,collective\nring,8,4,alltoall\n"});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].time.algorithm == "ring");
    CHECK(rows[0].time.where.ranks == 4);
}
