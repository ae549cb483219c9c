// An allreduce that is chosen by a decision table, as mpi_tune writes it, and run over MPI. Ranks are placed in order.
// mpirun -np 4 mpi_tuned_allreduce tuned.json 65536

#include "collsched/execute/mpi.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "algorithms/algorithms.hpp"
#include "collsched/execute.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "collsched/select/decide.hpp"

using namespace collsched;

static rank_t ranks_per_node() {
    MPI_Comm node;
    int here = 0, most = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    MPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int run(const std::filesystem::path& file, std::size_t numbers) {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<double> in(numbers, rank + 1), out(numbers);
    shape sizes{.ranks = size, .bytes = static_cast<bytes_t>(8 * numbers), .element = 8};
    sizes.placement = topology::placement::block(size, (size + ranks_per_node() - 1) / ranks_per_node());

    const auto table = read_decisions(file, compiled::whole_registry());
    const auto chosen = decide(table, {collective::allreduce, sizes, ranks_per_node()}, compiled::whole_registry());
    if (chosen.row == nullptr) throw std::runtime_error("no row of the table serves this call");
    if (rank == 0)
        std::printf("%s, by the row from %d ranks and %lld bytes on\n", chosen.row->algorithm, int(chosen.row->ranks),
                    static_cast<long long>(chosen.row->bytes));
    mpi_transport over(MPI_COMM_WORLD);
    bound_plan own(chosen.entry->make(chosen.parameters), rank,
                   {std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out))});
    execution allreduce(own.plan(), over);
    allreduce.start(own.buffers(), reductions::sum<double>());
    const std::vector<double> expected(numbers, size * (size + 1) / 2);
    return allreduce.wait().done() && out == expected ? 0 : 1;
}

int main(int argc, char** argv) try {
    MPI_Init(&argc, &argv);
    if (argc != 3) throw std::runtime_error("TABLE and BYTES are required");
    const int status = run(argv[1], std::strtoull(argv[2], nullptr, 10) / 8);
    MPI_Finalize();
    return status;
} catch (const std::exception& wrong) {
    std::fprintf(stderr, "mpi_tuned_allreduce: %s\n", wrong.what());
    return MPI_Abort(MPI_COMM_WORLD, 2);
}
