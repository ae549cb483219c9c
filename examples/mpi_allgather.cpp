// Every allgather of the library over MPI, on any number of ranks: irregular blocks of real bytes, checked.
// mpirun -np 5 mpi_allgather

#include "collsched/execute/mpi.hpp"

#include <cstdio>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute/rank_memory.hpp"

using namespace collsched;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    // Rank r contributes r kilobytes (rank 0 nothing); blocks are 100 bytes apart.
    std::vector<bytes_t> counts, displs;
    for (bytes_t r = 0; r < size; ++r) {
        displs.push_back(r == 0 ? 0 : displs.back() + counts.back() + 100);
        counts.push_back(1000 * r);
    }
    const auto byte_of = [](bytes_t r, bytes_t i) { return static_cast<std::byte>((31 * r + i) & 0xff); };
    const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
    std::vector<std::byte> input(own);
    for (std::size_t i = 0; i < own; ++i) input[i] = byte_of(rank, static_cast<bytes_t>(i));

    mpi_transport transport(MPI_COMM_WORLD);
    std::uint64_t epoch = 0;
    for (const algorithm_entry& algorithm : registry::of<collective::allgather>::entries) {
        const any_schedule schedule = algorithm.make({.ranks = size, .block = block_layout(counts, displs)});
        if (schedule.check()) continue;  // number of ranks not supported
        std::vector<std::byte> output(static_cast<std::size_t>(displs.back() + counts.back()));
        bound_plan plan(schedule, rank, {input, output});
        execution run(plan.plan(), transport, {.epoch = epoch++});
        run.start(plan.buffers());
        int mine = run.wait().done() ? 0 : 1, all = 0;
        for (bytes_t r = 0; r < size; ++r)
            for (bytes_t i = 0; i < counts[static_cast<std::size_t>(r)]; ++i)
                mine += output[static_cast<std::size_t>(displs[static_cast<std::size_t>(r)] + i)] != byte_of(r, i);
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            std::printf("allgatherv/%s on %d ranks: %s\n", algorithm.info.name, size, all == 0 ? "right" : "WRONG");
        wrong += all;
    }
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
