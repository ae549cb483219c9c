#include <mpi.h>

#include "progress.hpp"

using namespace collsched::preload;

// A rank that blocks in one of these may be the one that another rank's collective call waits for: so with operations
// in flight they begin without blocking, and drive those until they are complete.

namespace {

template <class Begin>
int complete(Begin begin, MPI_Status* status = MPI_STATUS_IGNORE) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = begin(&request);
    if (error != MPI_SUCCESS) return error;
    return drive([&](int* flag) { return PMPI_Test(&request, flag, status); });
}

}  // namespace

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    if (nothing_in_flight()) return PMPI_Send(data, count, type, to, tag, comm);
    return complete([&](MPI_Request* r) { return PMPI_Isend(data, count, type, to, tag, comm, r); });
}

int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    if (nothing_in_flight()) return PMPI_Ssend(data, count, type, to, tag, comm);
    return complete([&](MPI_Request* r) { return PMPI_Issend(data, count, type, to, tag, comm, r); });
}

int MPI_Rsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    if (nothing_in_flight()) return PMPI_Rsend(data, count, type, to, tag, comm);
    return complete([&](MPI_Request* r) { return PMPI_Irsend(data, count, type, to, tag, comm, r); });
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    if (nothing_in_flight()) return PMPI_Recv(data, count, type, from, tag, comm, status);
    return complete([&](MPI_Request* r) { return PMPI_Irecv(data, count, type, from, tag, comm, r); }, status);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
    if (nothing_in_flight())
        return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
    MPI_Request receive = MPI_REQUEST_NULL;
    int error = PMPI_Irecv(in, in_count, in_type, from, in_tag, comm, &receive);
    if (error != MPI_SUCCESS) return error;
    error = complete([&](MPI_Request* r) { return PMPI_Isend(out, out_count, out_type, to, out_tag, comm, r); });
    const int received = drive([&](int* flag) { return PMPI_Test(&receive, flag, status); });
    return error != MPI_SUCCESS ? error : received;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
    if (nothing_in_flight()) return PMPI_Probe(from, tag, comm, status);
    return drive([&](int* flag) { return PMPI_Iprobe(from, tag, comm, flag, status); });
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    progress();
    return PMPI_Iprobe(from, tag, comm, flag, status);
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    if (nothing_in_flight()) return PMPI_Mprobe(from, tag, comm, message, status);
    return drive([&](int* flag) { return PMPI_Improbe(from, tag, comm, flag, message, status); });
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    progress();
    return PMPI_Improbe(from, tag, comm, flag, message, status);
}
