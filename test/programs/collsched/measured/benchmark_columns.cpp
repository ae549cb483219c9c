#include "examples/programs/collsched/measured/benchmark_columns.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace collsched;
using namespace collsched::measured;

namespace {

benchmark_columns columns(std::string_view header) { return columns_of(header, words_of(header)); }

}  // namespace

TEST_CASE("benchmark_columns: names of OSU with blanks within them") {
    CHECK(columns("# Size            Latency (us)").count == 2);
    CHECK(columns("# Size Avg Latency(us) Min Latency(us) Max Latency(us) Iterations").count == 5);
    const auto all = columns(
        "# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations  Validation"
        "  P5 Tail Lat(us)  P99 Tail Lat(us)  Transmit Size");
    CHECK(all.count == 9);
    CHECK(all.time == 1);
    CHECK(all.check == 5);
    for (const char* header :
         {"# Size", "# Size  Overall(us)", "# Size  Min Latency(us)", "# Size  Avg", "# Size  Avg Lat",
          "# Size  Avg Latency(us)  4 1.25", "# Size  Avg Latency(us)  P9 Tail", "# Size  Latency"})
        CHECK(columns(header).time == 0);
}

TEST_CASE("benchmark_columns: names of IMB are words") {
    const auto plain = columns("#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]");
    CHECK(plain.count == 5);
    CHECK(plain.time == 3);
    CHECK(plain.check == 0);
    CHECK(columns("#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]  defects").check == 5);
    for (const char* header :
         {"#bytes", "#bytes #repetitions t[usec] Mbytes/sec", "#repetitions t_min[usec] t_max[usec]",
          "#Benchmarking #procs #bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]"})
        CHECK(columns(header).time == 0);
}

TEST_CASE("benchmark_columns: headers and other comments") {
    for (const char* header : {"# Size", "#bytes #repetitions", "#repetitions", "#Benchmarking #procs #bytes"})
        CHECK(is_benchmark_header(words_of(header)));
    for (const char* other : {"", "#", "# Datatype: MPI_CHAR.", "#Benchmarking Bcast", "# #processes = 4", "Size"})
        CHECK_FALSE(is_benchmark_header(words_of(other)));
}

TEST_CASE("benchmark_columns: results of checks") {
    for (const char* good : {"Pass", "0", "0.00"}) CHECK(passes_check(good));
    for (const char* wrong : {"Fail", "", "1.00", "0.01", "pass", "Passed", "8"}) CHECK_FALSE(passes_check(wrong));
}
