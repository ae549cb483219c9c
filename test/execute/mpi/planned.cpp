// Every planned collective with real bytes over MPI, on the first nodes of a described cluster, a rank a node. Exits with 0
// if all is right on every rank.

#include "collsched/execute/mpi.hpp"

#include <cstdio>
#include <string>
#include <string_view>

#include "collsched/format/clusters/read_cluster.hpp"
#include "support/conformance.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

int run_all(rank_t rank, rank_t ranks) {
    const cluster griffon =
        read_cluster(std::filesystem::path("test/data/clusters/griffon_like.xml"), {.overhead_us = 5});
    const lob_model first = griffon.cost.placed(topology::placement::block(ranks, griffon.cost.switches().nodes()));
    mpi_transport over(MPI_COMM_WORLD);
    int runs = 0;
    bool seen_broadcast = false, seen_gather = false;
    for (const algorithm_entry& entry : compiled::planned_registry())
        for (const rank_t root : {rank_t{0}, ranks - 1}) {
            any_schedule s =
                entry.make({.ranks = ranks, .root = root, .block = 1000, .bytes = 100'000, .cluster = first});
            if (s.check()) continue;  // the optimum of many ranks
            const std::string name = std::string(name_of(entry.info.collective)) + "/" + entry.info.name;
            seen_broadcast = seen_broadcast || name == "broadcast/mgo";
            seen_gather = seen_gather || name == "gather/mgo";
            const support::conformance_case one{name, std::move(s), binding::separate,
                                                static_cast<std::uint64_t>(runs)};
            if (const std::string fault = support::conform(one, rank, over); !fault.empty()) {
                std::fprintf(stderr, "%s\n", fault.c_str());
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
            ++runs;
        }
    if (rank == 0) std::printf("%d planned schedules right on %d ranks\n", runs, static_cast<int>(ranks));
    return seen_broadcast && seen_gather ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int status = run_all(rank, size);
    MPI_Finalize();
    return status;
}
