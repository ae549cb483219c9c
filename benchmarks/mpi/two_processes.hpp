#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

/// The common parts of benchmarks of two MPI processes on one node.
namespace two_processes {

[[noreturn]] inline void give_up(const char* reason) {
    std::fprintf(stderr, "%s\n", reason);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

/// Ends when rank 0 gets here; until then rank 1 leaves the processor alone.
inline void rank_1_sleeps(int rank) {
    if (rank == 0) {
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Request request;
    MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    for (int there = 0; !there; MPI_Test(&request, &there, MPI_STATUS_IGNORE)) ::usleep(200);
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
