#include <mpi.h>

#include <cstdio>

/// A library of a program that calls MPI before the program's main function and after it.

namespace {

MPI_Comm twin = MPI_COMM_NULL;
MPI_Win window = MPI_WIN_NULL;

void expect_sum(int sum, const char* what) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (sum == ranks * (ranks + 1) / 2) return;
    std::fprintf(stderr, "%s: got %d\n", what, sum);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void sums(MPI_Comm comm, const char* when) {
    int rank = 0, sum = 0, later[8] = {};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int mine = rank + 1;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect_sum(sum, when);
    MPI_Request requests[8];
    for (int i = 0; i < 8; ++i) MPI_Iallreduce(&mine, &later[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (const int one : later) expect_sum(one, when);
}

void copies() {
    for (int i = 0; i < 12; ++i) {
        MPI_Comm one;
        MPI_Comm_dup(MPI_COMM_WORLD, &one);
        MPI_Barrier(one);
        MPI_Comm_free(&one);
    }
}

__attribute__((constructor)) void begin() {
    MPI_Init(nullptr, nullptr);
    sums(MPI_COMM_WORLD, "constructor");
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    void* memory = nullptr;
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&memory), &window);
    MPI_Win_fence(0, window);
}

__attribute__((destructor)) void end() {
    sums(MPI_COMM_WORLD, "destructor");
    sums(twin, "destructor, of a copy");
    copies();
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&twin);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 0) std::printf("destructor right\n"), std::fflush(stdout);
}

}  // namespace

/// Keeps the linker from leaving the library out.
int early_sum(int mine) {
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_sum(sum, "main");
    return sum;
}
