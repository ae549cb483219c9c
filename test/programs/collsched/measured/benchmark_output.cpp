#include "examples/programs/collsched/measured/benchmark_output.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::measured;

namespace {

measured_file read_all(const std::string& text, rank_t ranks = 0) {
    const text_file file{"f", text};
    return benchmark_output(file, "ring_ompi", ranks).read();
}
std::vector<measured_row> read(const std::string& text, rank_t ranks = 0) { return read_all(text, ranks).rows; }
std::string refused(const std::string& text, rank_t ranks = 0) {
    return support::refusal_of([&] { read_all(text, ranks); });
}

/// The lines below the title, for three sizes, in each form that a version of OSU prints.
struct osu_form {
    const char* versions;  ///< separated by blanks
    std::string columns, rows;
};
const std::vector<osu_form> osu_forms = {
    {"v3.1 v3.1.1 v3.3", "# Size            Latency (us)\n", "4  1.25\n8  1.5\n16  2\n"},
    {"v3.6 v3.9 v4.0.1 v4.4.1 v5.0 v5.3.2 v5.9 v6.2 v7.0", "# Size       Avg Latency(us)\n",
     "4                       1.25\n8                       1.50\n16                      2.00\n"},
    {"v3.6 v4.4.1 v5.9 v6.2", "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n",
     "4   1.25   1.00   4.00   1000\n8   1.50   1.00   4.00   1000\n16   2.00   1.00   4.00   1000\n"},
    {"v7.1 v7.5 v7.5.2", "# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n", "4  1.25\n8  1.50\n16  2.00\n"},
    {"v7.2 v7.4", "# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)        Validation\n",
     "4  1.25              Pass\n8  1.50              Pass\n16  2.00              Pass\n"},
    {"v7.4",
     "# Datatype: MPI_INT.\n# Size       Avg Latency(us)   P50 Tail Lat(us)   P99 Tail Lat(us)   Transmit Size\n",
     "4  1.25  1.2  1.9  4\n8  1.50  1.4  2.1  8\n16  2.00  1.9  2.8  16\n"}};
const char* const osu_operations[] = {"Allgather", "Allreduce", "Broadcast",      "All-to-All Personalized Exchange",
                                      "Gather",    "Reduce",    "Reduce_scatter", "Reduce_scatter_block",
                                      "Scatter"};

std::string osu_of(const std::string& title, const std::string& rows,
                   const std::string& columns = "# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n") {
    return "\n# OSU " + title + "\n" + columns + rows;
}

constexpr auto rows_header = "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]";
std::string imb_of(const std::string& name, const std::string& rows, const std::string& processes = "#processes = 4",
                   const std::string& columns = rows_header) {
    return "\n#------\n# Benchmarking " + name + " \n# " + processes +
           " \n# ( 2 additional processes waiting in MPI_Barrier)\n#------\n" + columns + "\n" + rows;
}

}  // namespace

TEST_CASE("benchmark_output: OSU's sizes are those of the message, or of one block of a rank") {
    const auto reduced = read(osu_of("MPI Allreduce Latency Test v7.5", "4 1.25\n1024  3.5\n"), 8);
    REQUIRE(reduced.size() == 2);
    CHECK(reduced[0].time.where == measured_case{collective::allreduce, 8, 1, 4, ""});
    CHECK(reduced[0].time.us == doctest::Approx(1.25));
    CHECK(reduced[1].time.us == doctest::Approx(3.5));
    CHECK(reduced[1].time.algorithm == "ring_ompi");
    CHECK(reduced[1].nodes == "8");
    CHECK(reduced[1].line == 6);
    const auto gathered = read(osu_of("MPI-CUDA Allgather Latency Test v5.9", "16 2\n"), 8);
    REQUIRE(gathered.size() == 1);
    CHECK(gathered[0].time.where == measured_case{collective::allgather, 8, 1, 128, "CUDA,"});
    CHECK(gathered[0].gpu == "CUDA");
    const auto exchanged = read(osu_of("MPI All-to-All Personalized Exchange Latency Test v7.5", "1 7\n1024 12\n"), 8);
    REQUIRE(exchanged.size() == 2);
    CHECK(exchanged[0].time.where == measured_case{collective::alltoall, 8, 1, 8, ""});
    CHECK(exchanged[1].time.where.bytes == 8192);
    CHECK(exchanged[1].time.us == doctest::Approx(12));
}

TEST_CASE("benchmark_output: all rows of the collectives of every version of OSU are read") {
    for (const osu_form& form : osu_forms)
        for (const std::string_view version : words_of(form.versions))
            for (const char* operation : osu_operations) {
                const std::string title = std::string("MPI ") + operation + " Latency Test " + std::string(version);
                CAPTURE(title);
                const measured_file file = read_all(osu_of(title, form.rows, form.columns), 8);
                CHECK(file.rows.size() == 3);
                CHECK(file.unread.empty());
                CHECK(file.rows.back().time.us == doctest::Approx(2));
            }
}

TEST_CASE("benchmark_output: the outputs of all programs of OSU in one file") {
    std::string text;
    for (const char* operation : osu_operations)
        text += osu_of(std::string("MPI ") + operation + " Latency Test v7.5", "1 7\n1024 12\n");
    for (const char* other : {"MPI Latency Test v7.5", "MPI Allgatherv Latency Test v7.5"})
        text += osu_of(other, "1 7\n1024 12\n");
    text += osu_of("MPI Bandwidth Test v7.5", "1 7\n1024 12\n", "# Size      Bandwidth (MB/s)\n");
    text += osu_of("MPI Barrier Latency Test v7.5", "             7.25\n", "# Avg Latency(us)\n");
    text += osu_of("MPI Non-blocking Allgather Latency Test v7.5", "1 7 3 4 50\n",
                   "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n"
                   "# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n");
    const measured_file file = read_all(text, 8);
    CHECK(file.rows.size() == 18);
    REQUIRE(file.unread.size() == 5);
    CHECK(file.unread[0].text("f") ==
          "f:59: 2 lines are not read: rows of another operation, \"OSU MPI Latency Test\"");
    CHECK(file.unread[3].reason == "rows of another operation, \"OSU MPI Barrier Latency Test\"");
    CHECK(file.unread[3].count == 1);
}

TEST_CASE("benchmark_output: a program of OSU prints one table per data type") {
    const std::string table = "\n# Datatype: MPI_INT.\n# Size       Avg Latency(us)\n4 2\n8 3\n";
    CHECK(read(osu_of("MPI Allreduce Latency Test v7.3", "1 1\n4 2\n") + table + table, 8).size() == 6);
}

TEST_CASE("benchmark_output: IMB states its ranks, and the time is that of the slowest rank") {
    const auto rows = read(imb_of("Reduce_scatter", "0 1000 0.03 0.04 0.03\n8 1000 1.0 3.0 2.0\n") +
                           imb_of("PingPong", "8 1000 1.0 3.0 2.0\n") + "\n# All processes entering MPI_Finalize\n");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].time.where == measured_case{collective::reduce_scatter, 4, 1, 8, ""});
    CHECK(rows[0].time.us == doctest::Approx(3));
    CHECK(read(imb_of("Alltoall", "8 1000 1.0 3.0 2.0\n"))[0].time.where.bytes == 32);
    CHECK(read(imb_of("Reduce_scatter_block", "8 1000 1.0 3.0 2.0\n"))[0].time.where.bytes == 32);
}

TEST_CASE("benchmark_output: all rows of the collectives of every version of IMB are read") {
    const std::string rows = "0 1000 0.03 0.04 0.03\n4 1000 1.00 3.00 2.00\n8 1000 1.00 3.00 2.00\n";
    for (const char* processes : {"( #processes = 6 )", "#processes = 6", "#processes = 6; rank order (rowwise):"})
        for (const char* name : {"Allgather", "Allreduce", "Alltoall", "Bcast", "Gather", "Reduce", "Reduce_scatter",
                                 "Reduce_scatter_block", "Scatter"}) {
            CAPTURE(processes);
            CAPTURE(name);
            const measured_file file = read_all(imb_of(name, rows, processes));
            REQUIRE(file.rows.size() == 2);
            CHECK(file.rows[0].time.where.ranks == 6);
            CHECK(file.rows[1].time.us == doctest::Approx(3));
            REQUIRE(file.unread.size() == 1);
            CHECK(file.unread[0].text("f") == "f:8: 1 line is not read: messages of 0 bytes");
        }
    CHECK(read(imb_of("Bcast", "8 1000 1 3 2 0\n", "#processes = 6", std::string(rows_header) + "  defects")).size() ==
          1);
}

TEST_CASE("benchmark_output: lines of IMB that are no time of a collective") {
    const measured_file file =
        read_all(imb_of("Bcast",
                        "8 1000 1 3 2\n16 out-of-mem.; needed X=   2.000 GB; use flag \"-mem X\"\n"
                        "32 int-overflow.; The production rank*size caused int overflow for given sample\n"
                        " time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over\n") +
                 imb_of("Multi-Allreduce", "0 8 1000 1 3 2\n1 8 1000 1 3 2\n",
                        "( 2 groups of 3 processes each running simultaneous )", "  Group" + std::string(rows_header)) +
                 imb_of("Barrier", "1000 1 3 2\n", "#processes = 6", " #repetitions  t_min[usec]  t_max[usec]") +
                 imb_of("Ibcast", "8 1000 1 3 2 50\n", "#processes = 6",
                        "  #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]"));
    CHECK(file.rows.size() == 1);
    REQUIRE(file.unread.size() == 6);
    CHECK(file.unread[0].reason == "sizes without a time, \"out-of-mem.;\"");
    CHECK(file.unread[1].reason == "sizes without a time, \"int-overflow.;\"");
    CHECK(file.unread[2].reason == "text that is no row");
    CHECK(file.unread[3].reason == "rows of another operation, \"Benchmarking Multi-Allreduce\"");
    CHECK(file.unread[3].count == 2);
    CHECK(file.unread[4].reason == "rows of another operation, \"Benchmarking Barrier\"");
    CHECK(file.unread[5].reason == "rows of another operation, \"Benchmarking Ibcast\"");
}

TEST_CASE("benchmark_output: a row has exactly the columns of its header") {
    const std::string full = "# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n";
    const std::string title = "MPI Allreduce Latency Test v7.4";
    for (const osu_form& form :
         {osu_form{"joined rows", "# Size  Avg Latency(us)\n", "2 1\n4 1.5 8 25.0\n"},
          osu_form{"the end of a file", full, "2 1 1 1 9\n8 25"}, osu_form{"without a time", full, "2 1 1 1 9\n8\n"},
          osu_form{"a comment after a row", "# Size  Latency (us)\n", "2 1\n4 1.5 # text\n"}}) {
        CAPTURE(form.versions);
        const measured_file file = read_all(osu_of(title, form.rows, form.columns), 2);
        REQUIRE(file.rows.size() == 1);
        CHECK(file.rows[0].time.where.bytes == 2);
        REQUIRE(file.unread.size() == 1);
        CHECK(file.unread[0].reason ==
              "rows without exactly the " + std::string(form.columns == full ? "5" : "2") + " columns of their header");
    }
    const measured_file imb = read_all(imb_of("Bcast", "4 1000 1 3 2\n8 1000 15.05  1"));
    CHECK(imb.rows.size() == 1);
    REQUIRE(imb.unread.size() == 1);
    CHECK(imb.unread[0].text("f") == "f:9: 1 line is not read: rows without exactly the 5 columns of their header");
    const measured_file text = read_all(osu_of(title, "2 1 1 1 9\n4 1.5 [host:1] warning 9\n", full), 2);
    CHECK(text.rows.size() == 1);
    REQUIRE(text.unread.size() == 1);
    CHECK(text.unread[0].reason == "rows with text in a column of numbers");
}

TEST_CASE("benchmark_output: rows whose data are wrong are not read") {
    const measured_file osu = read_all(osu_of("MPI Allreduce Latency Test v7.4", "4 1 Pass\n8 2 Fail\n16 3 Pass\n",
                                              "# Size       Avg Latency(us)        Validation\n"),
                                       2);
    const measured_file imb = read_all(imb_of("Bcast", "4 9 1 3 2 0.00\n8 9 1 3 2 1.00\n16 9 1 3 2 0.00\n",
                                              "#processes = 4", std::string(rows_header) + "  defects"));
    for (const measured_file& file : {osu, imb}) {
        REQUIRE(file.rows.size() == 2);
        CHECK(file.rows[1].time.where.bytes == 16);
        REQUIRE(file.unread.size() == 1);
        CHECK(file.unread[0].count == 1);
        CHECK(file.unread[0].reason == "rows whose check of the data failed");
    }
}

TEST_CASE("benchmark_output: a title on a line with other text ends the title above") {
    const std::string columns = "# Size  Avg Latency(us)\n";
    for (const char* line :
         {"16 1.5 # OSU MPI Broadcast Latency Test v7.4", "# text # OSU MPI Broadcast Latency Test v7.4",
          "[host:1] warning# OSU MPI Broadcast Latency Test v7.4", "16 1.5# Benchmarking Bcast",
          "OSU MPI Broadcast Latency Test v7.4", "#OSU MPI Broadcast Latency Test v7.4",
          "# OSU MPI Reduce # OSU MPI Broadcast Latency Test v7.4", "#---# Benchmarking Bcast"}) {
        CAPTURE(line);
        const measured_file file =
            read_all(osu_of("MPI Allreduce Latency Test v7.4", "4 1\n", columns) + line + "\n" + columns +
                         "32 2\n64 3\n" + osu_of("MPI Reduce Latency Test v7.4", "8 4\n", columns),
                     2);
        REQUIRE(file.rows.size() == 2);
        CHECK(file.rows[0].time.where.bytes == 4);
        CHECK(file.rows[1].time.where.collective == collective::reduce);
        REQUIRE(file.unread.size() == 1);
        CHECK(file.unread[0].text("f") ==
              "f:5: 3 lines are not read: a title on a line with other text, and the rows below it");
    }
}

TEST_CASE("benchmark_output: rows of the modified IMB that begin with a name are counted") {
    const std::string header = "#Benchmarking #procs #bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]";
    const measured_file file =
        read_all(imb_of("Allreduce", "Allreduce 96 0 1000 0.02 0.03 0.02\nAllreduce 96 4 1000 297.88 298.07 297.95\n",
                        "#processes = 96", header) +
                 imb_of("Reduce", "8 1000 1 3 2\n"));
    REQUIRE(file.rows.size() == 1);
    CHECK(file.rows[0].time.where.collective == collective::reduce);
    REQUIRE(file.unread.size() == 1);
    CHECK(file.unread[0].text("f") == "f:8: 2 lines are not read: rows that begin with the name of the benchmark");
}

TEST_CASE("benchmark_output: every line that is neither a comment nor a row read is counted") {
    const std::string text = "loading modules\n1 2\n" + osu_of("MPI Allreduce Latency Test v7.5", "4 1.25\n") +
                             "srun: step ended\n" + osu_of("MPI Reduce Latency Test v7.5", "4 1.25\n", "") +
                             osu_of("MPI Reduce Latency Test v7.5", "4 1.25\n", "# Size  Overall(us)\n");
    const measured_file file = read_all(text, 2);
    CHECK(file.rows.size() == 1);
    REQUIRE(file.unread.size() == 4);
    CHECK(file.unread[0].text("f") == "f:1: 2 lines are not read: text that is no row");
    CHECK(file.unread[1].text("f") == "f:2: 1 line is not read: rows without the title of a benchmark above");
    CHECK(file.unread[2].text("f") == "f:11: 1 line is not read: rows without a header of columns");
    CHECK(file.unread[3].text("f") ==
          "f:15: 1 line is not read: rows without a column of times, \"# Size  Overall(us)\"");
}

TEST_CASE("benchmark_output: invalid output is reported with its line") {
    const std::string title = "MPI Allreduce Latency Test v7.5";
    CHECK(refused(osu_of(title, "4 1.25\n")) == "f:5: got an unknown number of ranks, expected option --ranks");
    for (const char* processes : {"", "#processes = ", "#processes = x"})
        CHECK(refused(imb_of("Bcast", "8 1000 1 3 2\n", processes), 8) ==
              "f:8: got an unknown number of ranks, expected a line '# #processes = P' below the title");
    CHECK(refused(osu_of(title, "4 -1\n"), 2) ==
          "f:5: time: got \"-1\", expected a time in microseconds, 1e-6 to 1e12");
    CHECK(
        refused(osu_of(title, "4\n"), 2) ==
        "f:5: got no time of a collective, but rows without exactly the 2 columns of their header, expected output of "
        "OSU or IMB-MPI1 for a collective");
    CHECK(
        refused("# Size       Avg Latency(us)\n4 1.25\n", 2) ==
        "f:2: got no time of a collective, but rows without the title of a benchmark above, expected output of OSU or "
        "IMB-MPI1 for a collective");
    CHECK(refused(osu_of(title, "4.5 1\n"), 2).starts_with("f:5: bytes: got \"4.5\", expected a whole number,"));
    CHECK(
        refused(osu_of("MPI Allgather Latency Test v7.5", "1125899906842624 1\n"), 2).starts_with("f:5: bytes: got "));
    CHECK(refused(osu_of("MPI Barrier Latency Test v7.5", "4 1\n"), 2) ==
          "f:5: got no time of a collective, but rows of another operation, \"OSU MPI Barrier Latency Test\", expected "
          "output of OSU or IMB-MPI1 for a collective");
    CHECK(
        refused(imb_of("Sendrecv", "8 1000 1.0 3.0 2.0\n"))
            .starts_with("f:8: got no time of a collective, but rows of another operation, \"Benchmarking Sendrecv\""));
    CHECK(refused("") == "f: got no time of a collective, expected output of OSU or IMB-MPI1 for a collective");
}
