#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

/// A tool of the profiling interface of MPI: it counts calls of MPI_Allreduce, and has a function MPI_Init as tools
/// do. It passes both to PMPI_..., or with TOOL_NEXT to the functions MPI_... of the library loaded after it.

namespace {

int counted = 0;

template <class Function>
Function* next(const char* name, Function* of_mpi) {
    if (std::getenv("TOOL_NEXT") == nullptr) return of_mpi;
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

int MPI_Init(int* count, char*** values) { return next("MPI_Init", &PMPI_Init)(count, values); }

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    ++counted;
    return next("MPI_Allreduce", &PMPI_Allreduce)(in, out, count, type, op, comm);
}

int MPI_Pcontrol(int, ...) {
    std::printf("tool counted %d\n", counted);
    return MPI_SUCCESS;
}
