// Measures a LogGP model of MPI between ranks 0 and 1 and prints it as a line for `collsched --model`.
// mpirun -np 2 mpi_calibrate > machine.model, then collsched choose allreduce ... --model @machine.model

#include "collsched/execute/mpi.hpp"

#include <cstdio>

#include "collsched/format/text.hpp"
#include "collsched/execute/calibrate.hpp"

using namespace collsched;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        std::fprintf(stderr, "mpi_calibrate: ranks: got %d, expected 2 or more\n", size);
        MPI_Finalize();
        return 2;
    }
    int error = 0;
    if (rank < 2) {
        mpi_transport transport(MPI_COMM_WORLD);
        const auto made = calibrate(transport, rank, 1 - rank);
        error = made.error;
        if (rank == 0 && error == 0) std::printf("%s\n", model_text(made.model).c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return error == 0 ? 0 : 1;
}
