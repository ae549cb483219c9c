#include "collsched/format/readers/detail/benchmark_output.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/refusal.hpp"

using namespace collsched;

namespace {

std::vector<measured_row> read(const std::string& text, rank_t ranks = 0) {
    const text_file file{"f", text};
    return detail::benchmark_output(file, "ring_ompi", ranks).read();
}
std::string refused(const std::string& text, rank_t ranks = 0) {
    return support::refusal_of([&] { read(text, ranks); });
}

const std::string osu = R"(
# OSU MPI%s Latency Test v7.5
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
)";
std::string osu_of(const std::string& collective, const std::string& rows) {
    std::string text = osu;
    return text.replace(text.find("%s"), 2, collective) + rows;
}
std::string imb_of(const std::string& collective, const std::string& rows) {
    return "# Benchmarking " + collective +
           " \n# #processes = 4 \n#------\n"
           "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n" +
           rows;
}

}  // namespace

TEST_CASE("benchmark_output: OSU's sizes are those of the message, or of one block of a rank") {
    const auto reduced = read(osu_of(" Allreduce", "4                       1.25\n1024  3.5 1.0 4.0 1000\n"), 8);
    REQUIRE(reduced.size() == 2);
    CHECK(reduced[0].time.where == measured_case{collective::allreduce, 8, 1, 4, ""});
    CHECK(reduced[0].time.us == doctest::Approx(1.25));
    CHECK(reduced[1].time.us == doctest::Approx(3.5));
    CHECK(reduced[1].time.algorithm == "ring_ompi");
    CHECK(reduced[1].nodes == "8");
    CHECK(reduced[1].line == 6);
    const auto gathered = read(osu_of("-CUDA Allgather", "16 2\n"), 8);
    REQUIRE(gathered.size() == 1);
    CHECK(gathered[0].time.where.bytes == 128);
    CHECK(read(osu_of(" Broadcast", "16 2\n"), 8)[0].time.where.collective == collective::broadcast);
}

TEST_CASE("benchmark_output: IMB states its ranks, and the time is that of the slowest rank") {
    const auto rows = read(imb_of("Reduce_scatter", "0 1000 0.03 0.04 0.03\n8 1000 1.0 3.0 2.0\n") +
                           imb_of("PingPong", "8 1000 1.0 3.0 2.0\n") + "\n# All processes entering MPI_Finalize\n");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].time.where == measured_case{collective::reduce_scatter, 4, 1, 8, ""});
    CHECK(rows[0].time.us == doctest::Approx(3));
    CHECK(read(imb_of("Alltoall", "8 1000 1.0 3.0 2.0\n"))[0].time.where.bytes == 32);
}

TEST_CASE("benchmark_output: invalid output is reported with its line") {
    CHECK(refused(osu_of(" Allreduce", "4 1.25\n")) ==
          "f:5: got an unknown number of ranks, expected option --ranks, or a line '# #processes = P'");
    CHECK(refused(osu_of(" Allreduce", "4 -1\n"), 2) ==
          "f:5: time: got \"-1\", expected a time in microseconds, 1e-6 to 1e12");
    CHECK(refused(osu_of(" Allreduce", "4\n"), 2) == "f:5: got 1 columns, expected 2 or more");
    CHECK(refused(osu_of(" Allreduce", "x 1\n"), 2).starts_with("f:5: bytes: got \"x\", expected a whole number,"));
    CHECK(refused(osu_of(" Allgather", "1125899906842624 1\n"), 2).starts_with("f:5: bytes: got "));
    const std::string none = "f: got no time of a collective, expected output of OSU or IMB-MPI1 for a collective";
    CHECK(refused(osu_of(" Barrier", "4 1\n"), 2) == none);
    CHECK(refused(imb_of("Sendrecv", "8 1000 1.0 3.0 2.0\n")) == none);
    CHECK(refused("") == none);
}
