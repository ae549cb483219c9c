#include <mpi.h>

#include <cstdarg>
#include <map>
#include <string>

/// A tool of the profiling interface of MPI, preloaded or linked: it counts calls and passes them to PMPI_.... It
/// intercepts the functions of completions.cpp. It intercepts none that begins a collective operation, so the
/// operations are the library's while other calls come as PMPI_....

namespace {

std::map<std::string, int>& counts() {
    static std::map<std::string, int> all;
    return all;
}

}  // namespace

/// MPI_Pcontrol(1, "MPI_Wait", &count) stores the number of calls.
int MPI_Pcontrol(const int level, ...) {
    std::va_list more;
    va_start(more, level);
    const char* const name = va_arg(more, const char*);
    *va_arg(more, int*) = counts()[name];
    va_end(more);
    return MPI_SUCCESS;
}

#define COUNTED(name, parameters, arguments) \
    int MPI_##name parameters {              \
        ++counts()["MPI_" #name];            \
        return PMPI_##name arguments;        \
    }

COUNTED(Init, (int* count, char*** values), (count, values))
COUNTED(Finalize, (), ())
COUNTED(Wait, (MPI_Request * request, MPI_Status* status), (request, status))
COUNTED(Waitall, (int count, MPI_Request all[], MPI_Status* statuses), (count, all, statuses))
COUNTED(Waitany, (int count, MPI_Request all[], int* index, MPI_Status* status), (count, all, index, status))
COUNTED(Waitsome, (int count, MPI_Request all[], int* done, int indices[], MPI_Status* statuses),
        (count, all, done, indices, statuses))
COUNTED(Test, (MPI_Request * request, int* flag, MPI_Status* status), (request, flag, status))
COUNTED(Testall, (int count, MPI_Request all[], int* flag, MPI_Status* statuses), (count, all, flag, statuses))
COUNTED(Testany, (int count, MPI_Request all[], int* index, int* flag, MPI_Status* status),
        (count, all, index, flag, status))
COUNTED(Testsome, (int count, MPI_Request all[], int* done, int indices[], MPI_Status* statuses),
        (count, all, done, indices, statuses))
COUNTED(Request_get_status, (MPI_Request request, int* flag, MPI_Status* status), (request, flag, status))
COUNTED(Request_free, (MPI_Request * request), (request))
COUNTED(Cancel, (MPI_Request * request), (request))
COUNTED(Start, (MPI_Request * request), (request))
COUNTED(Startall, (int count, MPI_Request all[]), (count, all))
COUNTED(Type_free, (MPI_Datatype * type), (type))
COUNTED(Op_free, (MPI_Op * op), (op))
COUNTED(Send, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),
        (data, count, type, to, tag, comm))
COUNTED(Ssend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),
        (data, count, type, to, tag, comm))
COUNTED(Recv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),
        (data, count, type, from, tag, comm, status))
COUNTED(Sendrecv,
        (const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
         MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status),
        (out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status))
COUNTED(Sendrecv_replace,
        (void* data, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag, MPI_Comm comm,
         MPI_Status* status),
        (data, count, type, to, out_tag, from, in_tag, comm, status))
COUNTED(Probe, (int from, int tag, MPI_Comm comm, MPI_Status* status), (from, tag, comm, status))
COUNTED(Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status), (from, tag, comm, flag, status))
COUNTED(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
        (from, tag, comm, message, status))
COUNTED(Improbe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status),
        (from, tag, comm, flag, message, status))
COUNTED(Barrier, (MPI_Comm comm), (comm))
COUNTED(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
COUNTED(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made))
COUNTED(Comm_free, (MPI_Comm * comm), (comm))
COUNTED(Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* made),
        (size, unit, info, comm, base, made))
COUNTED(Win_fence, (int asserted, MPI_Win window), (asserted, window))
COUNTED(Win_free, (MPI_Win * window), (window))
COUNTED(File_open, (MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* made),
        (comm, name, mode, info, made))
COUNTED(File_close, (MPI_File * file), (file))

#if MPI_VERSION >= 4
COUNTED(Parrived, (MPI_Request request, int partition, int* flag), (request, partition, flag))
#endif
