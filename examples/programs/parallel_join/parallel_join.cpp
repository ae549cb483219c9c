// A parallel hash join whose repartition is a grouped complete exchange. Rank 0 is the master and coordinates; all
// other ranks are nodes. The result is compared with the same join on one rank.
// mpirun -np 8 parallel_join          with 7 nodes
// mpirun -np 8 parallel_join silent   the last node never reports, and the others finish without it

#include <mpi.h>

#include <cstdio>
#include <cstring>

#include "master.hpp"
#include "node.hpp"

using namespace collsched;

/// Prints the result. Returns whether it is correct.
bool run_master(rank_t nodes, bool silent) {
    const rank_t group = 2;
    const std::int64_t second = 1'000'000;
    master here(nodes, group, {.ready = silent ? 2 * second : 60 * second, .done = 60 * second});
    here.coordinate();
    const joined found = here.collect();

    std::printf("R has %lld rows, S %lld; %lld nodes in groups of %lld\n", static_cast<long long>(left.size),
                static_cast<long long>(right.size), static_cast<long long>(nodes), static_cast<long long>(group));
    for (const auto& lost : here.losses())
        std::printf("node %lld was given up: sub-round %lld waited for its \"%s\"\n", static_cast<long long>(lost.node),
                    static_cast<long long>(lost.round),
                    lost.awaited == alltoall::coordinator::report::ready ? "ready" : "done");
    std::printf("%lld sub-rounds, %lld messages, %lld rows sent\n", static_cast<long long>(here.sub_rounds()),
                static_cast<long long>(here.messages()), static_cast<long long>(here.rows_sent()));
    const bool right_result = found == join_alone(nodes, [&](rank_t node) { return here.alive(node); });
    std::printf("%lld joined rows, checksum %016llx: %s\n", static_cast<long long>(found.pairs),
                static_cast<unsigned long long>(found.sum), right_result ? "right" : "WRONG");
    return right_result;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const bool silent = argc > 1 && std::strcmp(argv[1], "silent") == 0;
    bool well = size >= 3;
    if (!well && rank == 0) std::fprintf(stderr, "parallel_join: needs a master and two nodes, 3 ranks or more\n");
    MPI_Barrier(MPI_COMM_WORLD);
    if (well && rank == 0) well = run_master(size - 1, silent);
    else if (well) node(rank - 1, size - 1, silent && rank == size - 1).run();
    MPI_Finalize();
    return well ? 0 : 1;
}
