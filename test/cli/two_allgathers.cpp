#include <mpi.h>

#include <vector>

/// Ten short allgathers and ten long ones; with an argument, only the short ones.
int main(int count, char** values) {
    MPI_Init(&count, &values);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<char> mine(65536), all(mine.size() * static_cast<std::size_t>(ranks));
    for (const int block : {64, 65536}) {
        for (int i = 0; i < 10 && !(block > 64 && count > 1); ++i)
            MPI_Allgather(mine.data(), block, MPI_CHAR, all.data(), block, MPI_CHAR, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
