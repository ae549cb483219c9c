#pragma once

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "collsched/execute/detail/pause.hpp"

/// The common parts of benchmarks of MPI processes on one node, most often two.
namespace two_processes {

[[noreturn]] inline void give_up(const char* reason) {
    std::fprintf(stderr, "%s\n", reason);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

/// Ends when rank 0 gets here; until then the other ranks leave the processors alone.
inline void others_sleep(int rank, int ranks) {
    for (int other = 1; rank == 0 && other < ranks; ++other) MPI_Send(nullptr, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    if (rank == 0) return;
    MPI_Request request;
    MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    // Many ranks that look often would take much of the time that is measured.
    const useconds_t pause = ranks == 2 ? 200 : 5000;
    for (int there = 0; !there; MPI_Test(&request, &there, MPI_STATUS_IGNORE)) ::usleep(pause);
}

/// Lets the calling thread run on one core alone.
inline void pin(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) give_up("cannot pin a thread to a core");
}

/// A barrier of two sides that spin.
struct meeting {
    alignas(128) std::atomic<std::int64_t> count[2][16] = {};

    void meet(int side) {
        const std::int64_t turn = count[side][0].load(std::memory_order_relaxed) + 1;
        count[side][0].store(turn, std::memory_order_release);
        while (count[1 - side][0].load(std::memory_order_acquire) < turn) collsched::detail::pause();
    }
};

/// A meeting in memory that all ranks share.
class shared_meeting {
  public:
    explicit shared_meeting(int rank) {
        void* memory = nullptr;
        MPI_Win_allocate_shared(rank == 0 ? sizeof(meeting) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window_);
        if (rank == 0) new (memory) meeting;
        MPI_Aint size = 0;
        int unit = 0;
        MPI_Win_shared_query(window_, 0, &size, &unit, &memory);
        MPI_Barrier(MPI_COMM_WORLD);
        both_ = static_cast<meeting*>(memory);
    }
    shared_meeting(const shared_meeting&) = delete;
    shared_meeting& operator=(const shared_meeting&) = delete;
    ~shared_meeting() { MPI_Win_free(&window_); }

    meeting& both() { return *both_; }

  private:
    MPI_Win window_ = MPI_WIN_NULL;
    meeting* both_ = nullptr;
};

inline double median(std::vector<double> all) {
    std::nth_element(all.begin(), all.begin() + std::ssize(all) / 2, all.end());
    return all[all.size() / 2];
}

/// Returns a name for a process group that no other start of mpirun uses.
inline std::string group_name(const char* benchmark) {
    int id = static_cast<int>(::getpid());
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return std::string("/collsched-") + benchmark + "-" + std::to_string(id);
}

/// Returns name and version of the MPI in use.
inline std::string mpi_name() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    std::string name(version);
    name.resize(std::min(name.find_first_of(",\n"), name.size()));
    std::replace(name.begin(), name.end(), '\t', ' ');
    return name;
}

}  // namespace two_processes
