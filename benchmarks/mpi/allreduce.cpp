// Allreduce of doubles by two ranks on one node: over threads, over processes, by the MPI that this is built for, and by
// hand-written code of two threads. All are pinned, one rank a core, and take turns in one start of mpirun with two
// ranks. Before every operation each rank writes its input anew; that and the barrier after it are not timed. Printed:
// median microseconds of an operation, and medians of the ratios of each turn.
//
// lines: each rank writes its values into cache lines whose last word is a notice, and adds those of the other one: no
// exchange of values is faster. loop: each rank reads the other's memory between two barriers. fixed: the schedule as a
// constant of the program, without the engine, over the transport of threads and of processes.
// allreduce [TURNS [MOST_BYTES]]

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../fixed_plan.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/execute/processes.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reductions.hpp"
#include "collsched/execute/thread_fabric.hpp"
#include "two_processes.hpp"

namespace {

using namespace collsched;
using namespace two_processes;
using clock_type = std::chrono::steady_clock;

int rank = 0;

/// Input and output of one side: apart, or one buffer.
struct vectors {
    vectors(bytes_t bytes, bool in_place) : out(static_cast<std::size_t>(bytes / 8)), in(in_place ? 0 : out.size()) {}

    std::vector<double>& input() { return in.empty() ? out : in; }
    std::byte* input_bytes() { return reinterpret_cast<std::byte*>(input().data()); }
    std::byte* output_bytes() { return reinterpret_cast<std::byte*>(out.data()); }
    void fill(int side) { std::fill(input().begin(), input().end(), 1.0 + side); }
    void check(const char* name) const {
        if (std::count(out.begin(), out.end(), 3.0) != std::ssize(out)) give_up(name);
    }

    std::vector<double> out, in;
};

/// Microseconds of one operation of this side.
template <class Operation>
double timed(int side, meeting& both, vectors& memory, int times, Operation operation) {
    double sum = 0;
    for (int i = -1; i < times; ++i) {
        memory.fill(side);
        both.meet(side);
        const auto before = clock_type::now();
        operation();
        const double us = std::chrono::duration<double, std::micro>(clock_type::now() - before).count();
        if (i >= 0) sum += us;
        both.meet(side);
    }
    return sum / times;
}

template <class X, class Transport>
double timed_execution(int side, meeting& both, const X& x, Transport& over, bool in_place, int times,
                       const char* name) {
    vectors memory(x.bytes, in_place);
    const auto size = static_cast<std::size_t>(x.bytes);
    bound_plan own(x, side, {{memory.input_bytes(), size}, {memory.output_bytes(), size}},
                   in_place ? binding::in_place : binding::separate);
    execution<Transport> run(own.plan(), over);
    const double us = timed(side, both, memory, times, [&] {
        run.start(own.buffers(), reductions::sum<double>());
        if (!run.wait().done()) give_up(name);
    });
    memory.check(name);
    return us;
}

/// Runs f(side) in two pinned threads; returns the result of side 0.
template <class F>
double in_two_threads(F f) {
    std::jthread other([&] {
        pin(1);
        f(1);
    });
    return f(0);
}

template <class X>
double by_threads(const X& x, bool in_place, int times) {
    thread_fabric fabric(2);
    meeting both;
    return in_two_threads([&](int side) {
        auto over = fabric.at(side);
        return timed_execution(side, both, x, over, in_place, times, "threads failed");
    });
}

/// Each thread reads the other's memory: separate, the whole; in place, half of it, and then the other half's sums.
double by_loop(bytes_t bytes, bool in_place, int times) {
    meeting both, inner;
    vectors memory[2] = {{bytes, in_place}, {bytes, in_place}};
    const bytes_t half = bytes / 16 * 8;
    const auto add = reductions::sum<double>().combine_into;
    const double us = in_two_threads([&](int side) {
        return timed(side, both, memory[side], times, [&] {
            std::byte* const out = memory[side].output_bytes();
            const std::byte* const other = memory[1 - side].input_bytes();
            const auto copy = [&](bytes_t from, bytes_t size) {
                std::memcpy(out + from, other + from, static_cast<std::size_t>(size));
            };
            inner.meet(side);
            if (!in_place) {
                add(nullptr, out, memory[side].input_bytes(), other, bytes);
            } else {
                const bytes_t begin = side == 0 ? 0 : half, end = side == 0 ? half : bytes;
                add(nullptr, out + begin, out + begin, other + begin, end - begin);
                inner.meet(side);
                copy(0, begin);
                copy(end, bytes - end);
            }
            inner.meet(side);
        });
    });
    for (const vectors& one : memory) one.check("the loop failed");
    return us;
}

/// Two sets of lines of each side, used in turns: a side writes a set anew only after the other one has read it.
struct value_lines {
    static constexpr bytes_t most = 4096;
    struct alignas(64) line {
        double values[7];
        std::atomic<std::int64_t> notice = 0;
    };
    line all[2][2][most / 56 + 1];
};

double by_lines(bytes_t bytes, bool in_place, int times) {
    if (bytes > value_lines::most) return 0;
    meeting both;
    vectors memory[2] = {{bytes, in_place}, {bytes, in_place}};
    const auto shared = std::make_unique<value_lines>();
    const double us = in_two_threads([&](int side) {
        std::int64_t turn = 0;
        return timed(side, both, memory[side], times, [&] {
            ++turn;
            const auto n = static_cast<std::size_t>(bytes / 8);
            const double* const in = memory[side].input().data();
            double* const out = memory[side].out.data();
            for (std::size_t first = 0, i = 0; first < n; first += 7, ++i) {
                value_lines::line& mine = shared->all[side][turn % 2][i];
                for (std::size_t k = 0; k < 7 && first + k < n; ++k) mine.values[k] = in[first + k];
                mine.notice.store(turn, std::memory_order_release);
            }
            for (std::size_t first = 0, i = 0; first < n; first += 7, ++i) {
                const value_lines::line& other = shared->all[1 - side][turn % 2][i];
                while (other.notice.load(std::memory_order_acquire) != turn) collsched::detail::pause();
                for (std::size_t k = 0; k < 7 && first + k < n; ++k) out[first + k] = in[first + k] + other.values[k];
            }
        });
    });
    for (const vectors& one : memory) one.check("the lines failed");
    return us;
}

template <bytes_t Bytes, rank_t Rank, class Transport>
double timed_fixed(meeting& both, Transport& over, int times) {
    constexpr auto schedule = [] { return allreduce::recursive_doubling{.ranks = 2, .bytes = Bytes, .element = 8}; };
    vectors memory(Bytes, false);
    fixed_plan::collective<schedule, Rank, Transport> run(
        over, {memory.input_bytes(), memory.output_bytes(), nullptr, nullptr}, reductions::sum<double>());
    const double us = timed(Rank, both, memory, times, [&] {
        if (!run.run()) give_up("a fixed plan failed");
    });
    memory.check("a fixed plan failed");
    return us;
}
/// 0 for sizes without a fixed plan.
template <class Transport>
double by_fixed_plan(bytes_t bytes, bool in_place, int side, meeting& both, Transport& over, int times) {
    const auto of_size = [&]<bytes_t Bytes>() {
        return side == 0 ? timed_fixed<Bytes, 0>(both, over, times) : timed_fixed<Bytes, 1>(both, over, times);
    };
    if (in_place) return 0;
    if (bytes == 8) return of_size.template operator()<8>();
    if (bytes == 512) return of_size.template operator()<512>();
    return bytes == 4096 ? of_size.template operator()<4096>() : 0;
}
double fixed_by_threads(bytes_t bytes, bool in_place, int times) {
    thread_fabric fabric(2);
    meeting both;
    return in_two_threads([&](int side) {
        auto over = fabric.at(side);
        return by_fixed_plan(bytes, in_place, side, both, over, times);
    });
}

void compare(bytes_t bytes, bool in_place, int turns, process_group::transport& over, meeting& both) {
    const allreduce::recursive_doubling doubling{.ranks = 2, .bytes = bytes, .element = 8};
    const allreduce::ring ring{.ranks = 2, .bytes = bytes, .element = 8};
    const int times = static_cast<int>(std::clamp<bytes_t>((bytes_t{1} << 22) / bytes, 3, 400));
    constexpr int ways = 9;
    std::vector<double> us[ways], ratios[ways];
    for (int turn = 0; turn < turns; ++turn) {
        double now[ways] = {};
        if (rank == 0) {
            now[0] = by_lines(bytes, in_place, times);
            now[1] = by_loop(bytes, in_place, times);
            now[2] = fixed_by_threads(bytes, in_place, times);
            now[3] = by_threads(doubling, in_place, times);
            if (bytes > 8) now[4] = by_threads(ring, in_place, times);
        }
        others_sleep(rank, 2);
        MPI_Barrier(MPI_COMM_WORLD);
        now[5] = by_fixed_plan(bytes, in_place, rank, both, over, times);
        now[6] = timed_execution(rank, both, doubling, over, in_place, times, "processes failed");
        if (bytes > 8) now[7] = timed_execution(rank, both, ring, over, in_place, times, "processes failed");
        vectors memory(bytes, in_place);
        now[8] = timed(rank, both, memory, times, [&] {
            MPI_Allreduce(in_place ? MPI_IN_PLACE : memory.input_bytes(), memory.output_bytes(),
                          static_cast<int>(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        });
        memory.check("MPI failed");
        for (int i = 0; i < ways; ++i) us[i].push_back(now[i]), ratios[i].push_back(now[i] / now[8]);
    }
    if (rank != 0) return;
    std::printf("%-8s %9lld", in_place ? "in place" : "separate", static_cast<long long>(bytes));
    for (int i = 0; i < ways; ++i) {
        if (median(us[i]) == 0) std::printf(" %17s", "-");
        else std::printf(" %10.2f (%4.2f)", median(us[i]), median(ratios[i]));
    }
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int turns = argc > 1 ? std::atoi(argv[1]) : 15;
    const bytes_t most = argc > 2 ? std::atoll(argv[2]) : bytes_t{16} << 20;
    if (ranks != 2 || turns < 1 || most < 8) give_up("expected 2 ranks, 1 turn or more, and 8 bytes or more");
    pin(rank);
    process_group group;
    if (group.join(group_name("allreduce").c_str(), 2, rank)) give_up("cannot join the group");
    std::optional<process_group::transport> over(std::in_place, group);
    std::optional<shared_meeting> both(std::in_place, rank);
    const std::string name = mpi_name();
    if (rank == 0) std::printf("median microseconds, in brackets the ratio to %s\n%-8s %9s", name.c_str(), "", "bytes");
    for (const char* way : {"lines", "loop", "threads fixed", "threads doubling", "threads ring", "procs fixed",
                            "procs doubling", "procs ring", "MPI"})
        if (rank == 0) std::printf(" %17s", way);
    if (rank == 0) std::printf("\n");
    for (const bool in_place : {false, true})
        for (const bytes_t bytes : {8, 512, 4 << 10, 64 << 10, 1 << 20, 16 << 20})
            if (bytes <= most) compare(bytes, in_place, turns, *over, both->both());
    over.reset();
    group.leave();
    both.reset();
    MPI_Finalize();
    return 0;
}
