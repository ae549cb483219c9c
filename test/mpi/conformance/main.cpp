#include "conformance.hpp"

#include <dlfcn.h>

#include <string_view>

/// Compares every interposed function with the MPI library's own, in all its forms. The interposing library must be
/// loaded before MPI: LD_PRELOAD=libcollsched_mpi.so. `conformance large` moves more than 2^31 bytes instead, on two
/// ranks.

namespace {

using namespace conformance;

using counter = long(const char*, int);

/// Returns the library's counter of its calls. Without the library the test would be empty.
counter* count_of_library() {
    auto* found = reinterpret_cast<counter*>(dlsym(RTLD_DEFAULT, "collsched_mpi_calls"));
    if (found == nullptr) fail("conformance", "libcollsched_mpi.so is not loaded");
    return found;
}

void all_on(const group& on) {
    moving(on);
    irregular(on);
    reductions(on);
    requests(on);
    repeats(on);
    lengths(on);
    absolutes(on);
    one_buffer(on);
    oddities(on);
    errors(on);
}

/// Checks that the library executed every function rather than passing it on.
void check_counts() {
    counter* const calls = count_of_library();
    for (const char* name : {"barrier", "bcast", "scatter", "scatterv", "gather", "gatherv", "allgather", "allgatherv",
                             "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "alltoall", "alltoallv",
                             "alltoallw", "scan", "exscan"})
        expect(calls(name, 0) > 0, name, "was never carried out by the library");
}

/// Every kind of call is made on any number of ranks, and on more ranks not on every kind of communicator.
void everything(const group& world) {
    all_on(world);
    MPI_Comm turned, halves;
    MPI_Comm_split(world.comm, 0, -world.rank, &turned);
    if (world.size <= most_thorough) all_on(group(turned, "turned"));
    else moving(group(turned, "turned"));
    MPI_Comm_split(world.comm, world.rank % 2, world.rank, &halves);
    moving(group(halves, "half"));
    if (world.size <= most_thorough) reductions(group(halves, "half"));
    MPI_Comm_free(&turned);
    MPI_Comm_free(&halves);
    moving(group(MPI_COMM_SELF, "self"));
    irregular(group(MPI_COMM_SELF, "self"));
    reductions(group(MPI_COMM_SELF, "self"));
    driven(world);
    lifetimes();
    intercommunicators();
    threads();
    if (world.size > 1) check_counts();
}

}  // namespace

int main(int count, char** values) {
    int provided = 0;
    MPI_Init_thread(&count, &values, MPI_THREAD_MULTIPLE, &provided);
    count_of_library();
    const group world(MPI_COMM_WORLD, "world");
    if (count > 1 && values[1] == std::string_view("large")) large(world);
    else everything(world);
    long sum = 0;
    PMPI_Reduce(&calls_compared, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (world.rank == 0) std::printf("%ld calls right on %d ranks\n", sum, world.size);
    MPI_Finalize();
}
