// Allgather and broadcast of two ranks on one node, over threads, over processes, and by the MPI that this is built
// for, beside one memcpy of the same bytes: microseconds, and bandwidth as a share of the memcpy's. All take turns in
// one start of mpirun with two ranks, a few milliseconds each, so that load affects all alike. The table has the least
// of all turns, and the median. Every rank receives the bytes once: allgather in place, of one block of them from each
// rank.

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "../two_ranks.hpp"
#include "collsched/collective.hpp"
#include "collsched/execute/processes.hpp"
#include "two_processes.hpp"

namespace {

using namespace collsched;
using namespace two_processes;
using two_ranks::clock_type;
using two_ranks::seconds_since;

int rank = 0;

/// Takes back what mpirun may have done: the two threads of rank 0 shall not share a core.
void use_all_cores() {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i) CPU_SET(i, &all);
    if (::sched_setaffinity(0, sizeof all, &all) != 0) give_up("cannot use all cores");
}

/// Seconds of one of `times` runs on this rank, after one that brings the two together.
template <class Once>
double per_run(int times, Once once) {
    once();
    const auto before = clock_type::now();
    for (int i = 0; i < times; ++i) once();
    return seconds_since(before) / times;
}

class turns {
  public:
    void add(double seconds) { all_.push_back(seconds * 1e6); }
    double least() const { return *std::min_element(all_.begin(), all_.end()); }
    double median() const { return two_processes::median(all_); }

  private:
    std::vector<double> all_;  // microseconds
};

/// x is what threads and processes run; native() is the same by MPI.
template <class X, class Native>
void compare(const char* name, const X& x, bytes_t bytes, process_group::transport& over, Native native) {
    constexpr int rounds = 60;
    const int times = static_cast<int>(std::clamp<bytes_t>((bytes_t{1} << 22) / bytes, 2, 200));
    turns of_memcpy, of_threads, of_processes, of_mpi;
    std::vector<std::byte> from(static_cast<std::size_t>(bytes), std::byte{3}), into(from.size(), std::byte{4});
    two_ranks::one_rank mine(x, rank, over, binding::in_place);
    for (int i = 0; i < rounds; ++i) {
        if (rank == 0) {
            of_memcpy.add(two_ranks::copy(into, from, times) / times);
            two_ranks::pair_of_threads<X> threads(x, binding::in_place);
            of_threads.add(threads.run(times) / times);
            if (threads.failed()) give_up("threads failed");
        }
        others_sleep(rank, 2);
        MPI_Barrier(MPI_COMM_WORLD);
        of_processes.add(per_run(times, [&] {
            if (!mine.once()) give_up(("processes failed with error " + std::to_string(mine.state().error)).c_str());
        }));
        MPI_Barrier(MPI_COMM_WORLD);
        of_mpi.add(per_run(times, native));
    }
    if (rank != 0) return;
    std::printf("%-9s %9lld", name, static_cast<long long>(bytes));
    const double best = of_memcpy.least(), middle = of_memcpy.median();
    std::printf(" %9.2f", best);
    for (turns* one : {&of_threads, &of_processes, &of_mpi})
        std::printf(" %10.2f (%3.0f %%, %3.0f %%)", one->least(), 100 * best / one->least(),
                    100 * middle / one->median());
    std::printf("\n");
    std::fflush(stdout);
}

void compare_all(bytes_t bytes, process_group::transport& over) {
    const auto size = static_cast<std::size_t>(bytes);
    const int count = static_cast<int>(bytes);
    std::vector<std::byte> all(2 * size, std::byte{5});
    compare("allgather", allgather::ring{.ranks = 2, .block = bytes}, bytes, over,
            [&] { MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, all.data(), count, MPI_BYTE, MPI_COMM_WORLD); });
    compare("broadcast", broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = bytes}, bytes, over,
            [&] { MPI_Bcast(all.data(), count, MPI_BYTE, 0, MPI_COMM_WORLD); });
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) give_up("2 ranks are wanted");
    use_all_cores();
    process_group group;
    if (group.join(group_name("two-ranks").c_str(), 2, rank)) give_up("cannot join the group");
    std::optional<process_group::transport> over(std::in_place, group);
    const std::string name = mpi_name();
    if (rank == 0) {
        std::printf(
            "microseconds, the least of all turns; in brackets, memcpy's time as a share of it: least, median\n");
        std::printf("%-9s %9s %9s %25s %25s   %s\n", "", "bytes", "memcpy", "threads", "processes", name.c_str());
    }
    for (const bytes_t bytes : {bytes_t{8}, bytes_t{8} << 10, bytes_t{1} << 20, bytes_t{16} << 20})
        compare_all(bytes, *over);
    over.reset();
    group.leave();
    MPI_Finalize();
    return 0;
}
