// Every algorithm on real bytes over MPI, on the communicators of the first p ranks: all p up to 5, then all p above half
// the size, so that starts with 5, 8 and 16 ranks have run every p. But in long runs: with the telling layouts alone beyond
// 2 ranks, and every third p beyond 8. Exits with 0 if all is right on every rank.

#include "collsched/execute/mpi.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/conformance.hpp"

using namespace collsched;

namespace {

int run_all(rank_t rank, rank_t size) {
    int wrong = 0, runs = 0;
    MPI_Comm first = MPI_COMM_NULL;
    rank_t ranks_of_first = 0;
    const rank_t least = size <= 5 ? 1 : size / 2 + 1;
    const bool full = std::getenv("COLLSCHED_FULL") != nullptr;
    const auto run_one = [&](const support::conformance_case& one) {
        const rank_t p = one.schedule.ranks;
        if (p != ranks_of_first) {
            if (first != MPI_COMM_NULL) MPI_Comm_free(&first);
            MPI_Comm_split(MPI_COMM_WORLD, rank < p ? 0 : MPI_UNDEFINED, 0, &first);
            ranks_of_first = p;
        }
        if (first == MPI_COMM_NULL) return;
        mpi_transport over(first);
        ++runs;
        if (const std::string fault = support::conform(one, rank, over); !fault.empty()) {
            ++wrong;
            std::fprintf(stderr, "%s\n", fault.c_str());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    };
    const rank_t stride = full || size <= 8 ? 1 : 3;
    for (rank_t p = size; p >= least; p -= stride) support::for_each_conformance_case(p, p, !full && size > 2, run_one);
    if (first != MPI_COMM_NULL) MPI_Comm_free(&first);
    if (rank == 0) std::printf("%d schedules right on up to %d ranks\n", runs, static_cast<int>(size));
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int wrong = run_all(rank, size);
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
