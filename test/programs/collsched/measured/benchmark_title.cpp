#include "examples/programs/collsched/measured/benchmark_title.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace collsched;
using namespace collsched::measured;

namespace {

benchmark_title osu(const std::string& text) { return osu_title(words_of(text)); }
benchmark_title imb(const std::string& text) { return imb_title(words_of(text)); }

}  // namespace

TEST_CASE("benchmark_title: the nine collectives of OSU with one size for all ranks") {
    struct expected {
        const char* operation;
        collective kind;
        bool counts_one_block;
    };
    const expected all[] = {{"Allgather", collective::allgather, true},
                            {"Allreduce", collective::allreduce, false},
                            {"All-to-All Personalized Exchange", collective::alltoall, true},
                            {"Broadcast", collective::broadcast, false},
                            {"Gather", collective::gather, true},
                            {"Reduce", collective::reduce, false},
                            {"Reduce_scatter", collective::reduce_scatter, false},
                            {"Reduce_scatter_block", collective::reduce_scatter, false},
                            {"Scatter", collective::scatter, true}};
    for (const expected& one : all)
        for (const char* version : {"v3.1.1", "v3.9", "v4.4.1", "v5.3.2", "v6.2", "v7.0", "v7.5.2"}) {
            const auto title = osu(std::string("# OSU MPI ") + one.operation + " Latency Test " + version);
            CAPTURE(title.text);
            CHECK(title.kind == one.kind);
            CHECK(title.counts_one_block == one.counts_one_block);
            CHECK(title.gpu.empty());
            CHECK(title.text == std::string("OSU MPI ") + one.operation + " Latency Test");
        }
}

TEST_CASE("benchmark_title: OSU names the GPUs whose memory has the buffers") {
    for (const char* gpu : {"CUDA", "OPENACC", "ROCM"})
        CHECK(osu(std::string("# OSU MPI-") + gpu + " Allreduce Latency Test v5.9").gpu == gpu);
    const auto nccl = osu("# OSU NCCL-CUDA Broadcast Latency Test v7.0");
    CHECK(nccl.kind == collective::broadcast);
    CHECK(nccl.gpu == "CUDA");
}

TEST_CASE("benchmark_title: other operations of OSU are none of the collectives") {
    for (const char* operation : {"MPI Latency",
                                  "MPI Multi Latency",
                                  "MPI Multi-threaded Latency",
                                  "MPI Multi-process Latency",
                                  "MPI Latency Persistent",
                                  "MPI Barrier Latency",
                                  "MPI Allgatherv Latency",
                                  "MPI Gatherv Latency",
                                  "MPI Scatterv Latency",
                                  "MPI All-to-Allv Personalized Exchange Latency",
                                  "MPI All-to-Allw Personalized Exchange Latency",
                                  "MPI Non-blocking All-to-All Latency",
                                  "MPI Non-blocking Allgather Latency",
                                  "MPI Non-Blocking Broadcast Latency",
                                  "MPI Broadcast Persistent Latency",
                                  "MPI Allreduce Persistent Latency",
                                  "MPI Neighbor Allgather Latency",
                                  "MPI Bandwidth",
                                  "MPI Bi-Directional Bandwidth",
                                  "MPI Multiple Bandwidth / Message Rate",
                                  "MPI_Put Latency",
                                  "OpenSHMEM Broadcast Latency",
                                  "UPC Scatter Latency"}) {
        CAPTURE(operation);
        const auto title = osu(std::string("# OSU ") + operation + " Test v7.5");
        CHECK_FALSE(title.kind);
        CHECK(title.text == std::string("OSU ") + operation + " Test");
    }
    CHECK_FALSE(osu("# OSU v7.5").kind);
    CHECK(osu("# OSU").text == "OSU");
}

TEST_CASE("benchmark_title: IMB has the names of MPI's functions") {
    CHECK(imb("# Benchmarking Bcast ").kind == collective::broadcast);
    CHECK(imb("# Benchmarking Alltoall").counts_one_block);
    CHECK_FALSE(imb("# Benchmarking Reduce_scatter").counts_one_block);
    CHECK(imb("# Benchmarking Reduce_scatter_block").kind == collective::reduce_scatter);
    CHECK(imb("# Benchmarking Reduce_scatter_block").counts_one_block);
    for (const char* other : {"Barrier", "PingPong", "Sendrecv", "Exchange", "Allgatherv", "Gatherv", "Scatterv",
                              "Alltoallv", "Multi-Allreduce", "Ibcast", "Reduce_local", "BcastMT"}) {
        CAPTURE(other);
        CHECK_FALSE(imb(std::string("# Benchmarking ") + other).kind);
    }
}

TEST_CASE("benchmark_title: a title is at the beginning of its line, or misplaced") {
    for (const char* line : {"# OSU MPI Reduce Latency Test v7.4", "#   OSU", "# Benchmarking Reduce"}) {
        CHECK(is_title(words_of(line)));
        CHECK_FALSE(has_misplaced_title(words_of(line)));
    }
    for (const char* line :
         {"", "#", "16 1.5", "# List of Benchmarks to run:", "# measured with OSU 7.4", "/opt/OSU"}) {
        CHECK_FALSE(is_title(words_of(line)));
        CHECK_FALSE(has_misplaced_title(words_of(line)));
    }
    for (const char* line : {"16 1.5 # OSU MPI", "text#  OSU  UPC", "OSU NCCL Reduce", "# OSU MPI Reduce # OSU",
                             "1.5#OSU", "#---# Benchmarking Bcast", "text #Benchmarking"})
        CHECK(has_misplaced_title(words_of(line)));
}
