/* Adds 1 on every rank, and prints the sum on rank 0. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank = 0, sum = 0;
    const int one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
