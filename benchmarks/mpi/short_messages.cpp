// Short collectives of the ranks of one node: over threads (of rank 0), over processes, and by the MPI that this is built for. All
// take turns in one start of mpirun. With two ranks each is pinned to a core, and the ranks meet before every operation, which is not
// timed; with more ranks than cores a turn is timed as a whole, and ranks are not pinned. Printed: median microseconds of an
// operation, and in brackets the median ratio to the MPI in the same turn.
// short_messages [TURNS]

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/reduce/reversals.hpp"
#include "collsched/execute/processes.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reductions.hpp"
#include "collsched/execute/thread_fabric.hpp"
#include "collsched/tree/binomial.hpp"
#include "two_processes.hpp"

namespace {

using namespace collsched;
using namespace two_processes;
using clock_type = std::chrono::steady_clock;

int rank = 0, ranks = 0, turns = 15;

bool is_pinned() { return ranks == 2; }

void meet(int side, meeting& both) {
    if (is_pinned()) both.meet(side);
}

/// Microseconds of one operation of this side.
template <class Operation>
double timed(int side, meeting& both, int times, Operation operation) {
    const auto us_since = [](clock_type::time_point before) {
        return std::chrono::duration<double, std::micro>(clock_type::now() - before).count();
    };
    operation();
    double sum = 0;
    const auto all = clock_type::now();
    for (int i = 0; i < times; ++i) {
        meet(side, both);
        const auto before = clock_type::now();
        operation();
        sum += us_since(before);
    }
    meet(side, both);
    return (is_pinned() ? sum : us_since(all)) / times;
}

template <class X, class Transport>
double timed_execution(int side, meeting& both, const X& x, Transport& over, int times) {
    std::vector<double> in(static_cast<std::size_t>(lower(x).contract().input_bytes(side) / 8 + 1), 1.0),
        out(static_cast<std::size_t>(lower(x).contract().output_bytes(side) / 8 + 1));
    bound_plan own(x, side, {std::as_writable_bytes(std::span(in)), std::as_writable_bytes(std::span(out))});
    execution<Transport> run(own.plan(), over);
    return timed(side, both, times, [&] {
        run.start(own.buffers(), reductions::sum<double>());
        if (!run.wait().done()) give_up("an execution failed");
    });
}

template <class X>
double by_threads(const X& x, int times) {
    thread_fabric fabric(ranks);
    meeting both;
    double us = 0;
    {
        std::vector<std::jthread> all;
        for (int side = 0; side < ranks; ++side)
            all.emplace_back([&, side] {
                if (is_pinned()) pin(side);
                auto over = fabric.at(side);
                const double own = timed_execution(side, both, x, over, times);
                if (side == 0) us = own;
            });
    }
    return us;
}

template <class X, class Native>
void compare(const char* name, bytes_t bytes, const X& x, process_group::transport& over, meeting& both,
             Native native) {
    constexpr int times = 400;
    std::vector<double> us[3], ratios[3];
    for (int turn = 0; turn < turns; ++turn) {
        double now[3] = {};
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) now[0] = by_threads(x, times);
        others_sleep(rank, ranks);
        MPI_Barrier(MPI_COMM_WORLD);
        now[1] = timed_execution(rank, both, x, over, times);
        MPI_Barrier(MPI_COMM_WORLD);
        now[2] = timed(rank, both, times, native);
        for (int i = 0; i < 3; ++i) us[i].push_back(now[i]), ratios[i].push_back(now[i] / now[2]);
    }
    if (rank != 0) return;
    std::printf("%-9s %6lld", name, static_cast<long long>(bytes));
    for (int i = 0; i < 3; ++i) std::printf(" %10.2f (%4.2f)", median(us[i]), median(ratios[i]));
    std::printf("\n");
    std::fflush(stdout);
}

void compare_all(bytes_t bytes, process_group::transport& over, meeting& both) {
    const int count = static_cast<int>(bytes / 8);
    const auto blocks = static_cast<std::size_t>(count * ranks);
    std::vector<double> in(blocks, 1.0), out(blocks);
    compare("allreduce", bytes, allreduce::recursive_doubling{.ranks = ranks, .bytes = bytes, .element = 8}, over, both,
            [&] { MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
    compare("broadcast", bytes, broadcast::over_tree<trees::binomial>{.ranks = ranks, .bytes = bytes}, over, both,
            [&] { MPI_Bcast(out.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD); });
    compare("reduce", bytes, reduce::over_tree<trees::binomial>{.ranks = ranks, .bytes = bytes, .element = 8}, over,
            both, [&] { MPI_Reduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); });
    compare("allgather", bytes, allgather::recursive_doubling{.ranks = ranks, .block = bytes}, over, both,
            [&] { MPI_Allgather(in.data(), count, MPI_DOUBLE, out.data(), count, MPI_DOUBLE, MPI_COMM_WORLD); });
    compare("alltoall", bytes, alltoall::linear{.ranks = ranks, .block = bytes}, over, both,
            [&] { MPI_Alltoall(in.data(), count, MPI_DOUBLE, out.data(), count, MPI_DOUBLE, MPI_COMM_WORLD); });
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    turns = argc > 1 ? std::atoi(argv[1]) : turns;
    if (ranks < 2 || (ranks & (ranks - 1)) != 0 || turns < 1) give_up("expected 2, 4, 8, .. ranks and 1 turn or more");
    if (is_pinned()) pin(rank);
    process_group group;
    if (group.join(group_name("short").c_str(), ranks, rank)) give_up("cannot join the group");
    std::optional<process_group::transport> over(std::in_place, group);
    std::optional<shared_meeting> both(std::in_place, rank);
    const std::string name = mpi_name();
    if (rank == 0)
        std::printf("%d ranks, median microseconds, in brackets the ratio to %s\n%-9s %6s %17s %17s %17s\n", ranks,
                    name.c_str(), "", "bytes", "threads", "processes", "MPI");
    compare("barrier", 0, barrier::dissemination{.ranks = ranks}, *over, both->both(),
            [] { MPI_Barrier(MPI_COMM_WORLD); });
    for (const bytes_t bytes : {8, 512, 4096})
        if (is_pinned() || bytes == 8) compare_all(bytes, *over, both->both());
    over.reset();
    group.leave();
    both.reset();
    MPI_Finalize();
    return 0;
}
