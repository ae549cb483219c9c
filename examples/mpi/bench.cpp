#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "native_of_program.hpp"

/// Times the interposed functions (MPI_...) and the MPI library's own (PMPI_...) in alternating rounds, in one process:
///
///     bench [ROUNDS [FUNCTION [LARGEST]]]
///
/// ROUNDS is the number of rounds per cell (default 100), FUNCTION a name such as allreduce, or all (default), LARGEST
/// the largest message in bytes (default 4194304). A row has the microseconds per call of both, each the minimum over
/// the rounds of the time of the slowest rank; the ratio of the minima; and the median over the rounds of the ratio of a
/// round, with its 95 % confidence interval. Bytes are those of one buffer of the program; of one block where each rank
/// has one.

namespace {

int rank = 0, ranks = 1;
const MPI_Comm w = MPI_COMM_WORLD;

/// Returns microseconds per call of the slowest rank.
double once(int times, const std::function<void()>& call) {
    PMPI_Barrier(w);
    const double begin = PMPI_Wtime();
    for (int i = 0; i < times; ++i) call();
    double mine = (PMPI_Wtime() - begin) / times * 1e6, slowest = 0;
    PMPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, w);
    return slowest;
}

/// A function of both libraries.
struct entry {
    std::string name;
    bool per_rank = false;                  ///< a buffer has a block of each rank
    bool one_size = false;                  ///< there is no message
    std::function<void(int)> ours, native;  ///< argument: elements of 4 bytes
};

void row(const entry& one, std::size_t bytes, int rounds) {
    const int times = bytes < 4096 ? 100 : bytes < 300000 ? 10 : 1;  // short, to fit between other activity of the node
    const int elements = static_cast<int>(bytes / 4);
    double mine = 1e30, other = 1e30;
    std::vector<double> ratios;
    once(times, [&] { one.ours(elements); });
    once(times, [&] { one.native(elements); });
    for (int round = 0; round < rounds; ++round) {
        const double a = once(times, [&] { one.ours(elements); }), b = once(times, [&] { one.native(elements); });
        mine = std::min(mine, a), other = std::min(other, b);
        ratios.push_back(a / b);
    }
    if (rank != 0) return;
    std::sort(ratios.begin(), ratios.end());
    const double n = static_cast<double>(rounds), half = 0.98 * std::sqrt(n);  // 1.96 standard deviations of the rank
    const auto at = [&](double position) { return ratios[static_cast<std::size_t>(std::clamp(position, 0.0, n - 1))]; };
    std::printf("%-20s %9zu %10.2f %10.2f %6.2f   %5.2f [%5.2f, %5.2f]\n", one.name.c_str(), bytes, mine, other,
                mine / other, at(n / 2), at(std::floor(n / 2 - half)), at(std::ceil(n / 2 + half)));
    std::fflush(stdout);
}

struct buffers {
    explicit buffers(std::size_t elements) : in(elements, 1), out(elements) {}
    std::vector<float> in, out;
    std::vector<int> counts = std::vector<int>(static_cast<std::size_t>(ranks)), displs = counts;
    std::vector<int> places = counts;
    std::vector<MPI_Datatype> types = std::vector<MPI_Datatype>(static_cast<std::size_t>(ranks), MPI_FLOAT);

    /// Sets blocks of n elements.
    void divide(int n) {
        for (int r = 0; r < ranks; ++r) {
            const auto i = static_cast<std::size_t>(r);
            counts[i] = n, displs[i] = r * n, places[i] = 4 * r * n;
        }
    }
};

#define COLLSCHED_BOTH(name, per_rank, ...) \
    {name, per_rank, false, [=](int n) { (void)n, MPI_##__VA_ARGS__; }, [=](int n) { (void)n, PMPI_##__VA_ARGS__; }}

std::vector<entry> all_functions(buffers& b) {
    float *const in = b.in.data(), *const out = b.out.data();
    const int *const c = b.counts.data(), *const d = b.displs.data(), *const at = b.places.data();
    const MPI_Datatype f = MPI_FLOAT, *const types = b.types.data();
    const MPI_Op sum = MPI_SUM;
    std::vector<entry> all{
        COLLSCHED_BOTH("barrier", false, Barrier(w)),
        COLLSCHED_BOTH("bcast", false, Bcast(in, n, f, 0, w)),
        COLLSCHED_BOTH("reduce", false, Reduce(in, out, n, f, sum, 0, w)),
        COLLSCHED_BOTH("allreduce", false, Allreduce(in, out, n, f, sum, w)),
        COLLSCHED_BOTH("scan", false, Scan(in, out, n, f, sum, w)),
        COLLSCHED_BOTH("exscan", false, Exscan(in, out, n, f, sum, w)),
        COLLSCHED_BOTH("scatter", true, Scatter(in, n, f, out, n, f, 0, w)),
        COLLSCHED_BOTH("scatterv", true, Scatterv(in, c, d, f, out, n, f, 0, w)),
        COLLSCHED_BOTH("gather", true, Gather(in, n, f, out, n, f, 0, w)),
        COLLSCHED_BOTH("gatherv", true, Gatherv(in, n, f, out, c, d, f, 0, w)),
        COLLSCHED_BOTH("allgather", true, Allgather(in, n, f, out, n, f, w)),
        COLLSCHED_BOTH("allgatherv", true, Allgatherv(in, n, f, out, c, d, f, w)),
        COLLSCHED_BOTH("reduce_scatter", true, Reduce_scatter(in, out, c, f, sum, w)),
        COLLSCHED_BOTH("reduce_scatter_block", true, Reduce_scatter_block(in, out, n, f, sum, w)),
        COLLSCHED_BOTH("alltoall", true, Alltoall(in, n, f, out, n, f, w)),
        COLLSCHED_BOTH("alltoallv", true, Alltoallv(in, c, d, f, out, c, d, f, w)),
        COLLSCHED_BOTH("alltoallw", true, Alltoallw(in, c, at, types, out, c, at, types, w)),
    };
    all[0].one_size = true;
    return all;
}

}  // namespace

int main(int count, char** values) {
    MPI_Init(&count, &values);
    MPI_Comm_rank(w, &rank);
    MPI_Comm_size(w, &ranks);
    const int rounds = count > 1 ? std::atoi(values[1]) : 100;
    const std::string wanted = count > 2 ? values[2] : "all";
    const long long largest = count > 3 ? std::atoll(values[3]) : 4194304;
    if (rounds < 10 || largest < 4 || largest > 1 << 26) {
        if (rank == 0)
            std::fprintf(stderr,
                         "bench [ROUNDS [FUNCTION [LARGEST]]]: got ROUNDS %d, LARGEST %lld, expected ROUNDS 10 or "
                         "more, LARGEST 4 to 67108864\n",
                         rounds, largest);
        MPI_Finalize();
        return 2;
    }
    buffers memory(static_cast<std::size_t>(largest) / 4 * static_cast<std::size_t>(ranks));
    if (rank == 0)
        std::printf("%-20s %9s %10s %10s %6s   %s, %d ranks, %d rounds\n", "call", "bytes", "ours", "native", "ratio",
                    "median of ratios [95 %]", ranks, rounds);
    bool found = false;
    for (const entry& one : all_functions(memory)) {
        if (wanted != "all" && wanted != one.name) continue;
        found = true;
        for (long long bytes = 4; bytes <= largest; bytes *= 4) {
            memory.divide(static_cast<int>(bytes / 4));
            row(one, one.one_size ? 0 : static_cast<std::size_t>(bytes), rounds);
            if (one.one_size) break;
        }
    }
    if (!found && rank == 0)
        std::fprintf(stderr, "bench: FUNCTION: got %s, expected all or a function\n", wanted.c_str());
    MPI_Finalize();
    return found ? 0 : 2;
}
