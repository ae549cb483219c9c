#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

/// Times interposed functions against the MPI library's own (PMPI_), alternately, on the given ranks. The result is in
/// microseconds per call: the best of several rounds, each the time of the slowest rank.

namespace {

int rank = 0, ranks = 1;

template <class Call>
double once(int times, Call call) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = PMPI_Wtime();
    for (int i = 0; i < times; ++i) call();
    double mine = (PMPI_Wtime() - begin) / times * 1e6, slowest = 0;
    PMPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

template <class Ours, class Native>
void line(const char* name, std::size_t bytes, Ours ours, Native native) {
    const int times = bytes < 4096 ? 100 : bytes < 300000 ? 10 : 1;  // short, to fit between other activity of the node
    double mine = 1e30, other = 1e30;
    for (int round = 0; round < 150; ++round) {
        mine = std::min(mine, once(times, ours));
        other = std::min(other, once(times, native));
    }
    if (rank == 0) std::printf("%-16s %9zu %10.2f %10.2f %6.2f\n", name, bytes, mine, other, mine / other);
}

}  // namespace

int main(int count, char** values) {
    MPI_Init(&count, &values);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const MPI_Comm w = MPI_COMM_WORLD;
    if (rank == 0)
        std::printf("%-16s %9s %10s %10s %6s, %d ranks\n", "call", "bytes", "ours", "native", "ratio", ranks);
    line("barrier", 0, [&] { MPI_Barrier(w); }, [&] { PMPI_Barrier(w); });
    const std::size_t most = std::size_t{1} << 20;
    std::vector<double> in(most / 8 * static_cast<std::size_t>(ranks), 1), out(in.size());
    double *a = in.data(), *b = out.data();
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{65536}, most}) {
        const int n = static_cast<int>(bytes / 8), part = std::max(1, n / ranks);
        const auto all = [&](const char* name, auto ours, auto native) { line(name, bytes, ours, native); };
        all(
            "allreduce", [&] { MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, w); },
            [&] { PMPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, w); });
        all("bcast", [&] { MPI_Bcast(a, n, MPI_DOUBLE, 0, w); }, [&] { PMPI_Bcast(a, n, MPI_DOUBLE, 0, w); });
        all(
            "reduce", [&] { MPI_Reduce(a, b, n, MPI_DOUBLE, MPI_SUM, 0, w); },
            [&] { PMPI_Reduce(a, b, n, MPI_DOUBLE, MPI_SUM, 0, w); });
        all(
            "allgather", [&] { MPI_Allgather(a, part, MPI_DOUBLE, b, part, MPI_DOUBLE, w); },
            [&] { PMPI_Allgather(a, part, MPI_DOUBLE, b, part, MPI_DOUBLE, w); });
        all(
            "alltoall", [&] { MPI_Alltoall(a, part, MPI_DOUBLE, b, part, MPI_DOUBLE, w); },
            [&] { PMPI_Alltoall(a, part, MPI_DOUBLE, b, part, MPI_DOUBLE, w); });
        all(
            "reduce_scatter_b", [&] { MPI_Reduce_scatter_block(a, b, part, MPI_DOUBLE, MPI_SUM, w); },
            [&] { PMPI_Reduce_scatter_block(a, b, part, MPI_DOUBLE, MPI_SUM, w); });
        all(
            "gather", [&] { MPI_Gather(a, part, MPI_DOUBLE, b, part, MPI_DOUBLE, 0, w); },
            [&] { PMPI_Gather(a, part, MPI_DOUBLE, b, part, MPI_DOUBLE, 0, w); });
        all(
            "scatter", [&] { MPI_Scatter(a, part, MPI_DOUBLE, b, part, MPI_DOUBLE, 0, w); },
            [&] { PMPI_Scatter(a, part, MPI_DOUBLE, b, part, MPI_DOUBLE, 0, w); });
        all(
            "scan", [&] { MPI_Scan(a, b, n, MPI_DOUBLE, MPI_SUM, w); },
            [&] { PMPI_Scan(a, b, n, MPI_DOUBLE, MPI_SUM, w); });
    }
    MPI_Finalize();
}
