#include <mpi.h>

int early_sum(int mine);

/// A program whose library has called MPI_Init, and calls MPI_Finalize.
int main() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return early_sum(rank + 1) > 0 ? 0 : 1;
}
