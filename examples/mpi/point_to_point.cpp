#include <cstddef>
#include <vector>

#include "native_mpi.hpp"
#include "progress.hpp"

using namespace collsched::preload;

// A rank that blocks in one of these functions may be one that another rank's collective call waits for. With
// operations in flight, the functions therefore begin without blocking and drive those operations until they are
// complete.

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return native_or_driven<PMPI_Send, PMPI_Isend>(nothing_in_flight(), data, count, type, to, tag, comm);
}

int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return native_or_driven<PMPI_Ssend, PMPI_Issend>(nothing_in_flight(), data, count, type, to, tag, comm);
}

int MPI_Rsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return native_or_driven<PMPI_Rsend, PMPI_Irsend>(nothing_in_flight(), data, count, type, to, tag, comm);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    if (nothing_in_flight()) return PMPI_Recv(data, count, type, from, tag, comm, status);
    return complete([&](MPI_Request* r) { return PMPI_Irecv(data, count, type, from, tag, comm, r); }, status);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
    if (nothing_in_flight())
        return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
    return complete_both([&](MPI_Request* r) { return PMPI_Isend(out, out_count, out_type, to, out_tag, comm, r); },
                         [&](MPI_Request* r) { return PMPI_Irecv(in, in_count, in_type, from, in_tag, comm, r); },
                         status);
}

int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status* status) {
    int room = 0, used = 0;
    if (nothing_in_flight() || PMPI_Pack_size(count, type, the_environment().self, &room) != MPI_SUCCESS)
        return PMPI_Sendrecv_replace(data, count, type, to, out_tag, from, in_tag, comm, status);
    std::vector<std::byte> copy(static_cast<std::size_t>(room) + 1);
    if (const int error = PMPI_Pack(data, count, type, copy.data(), room, &used, comm); error != MPI_SUCCESS)
        return error;
    return complete_both(
        [&](MPI_Request* r) { return PMPI_Isend(copy.data(), used, MPI_PACKED, to, out_tag, comm, r); },
        [&](MPI_Request* r) { return PMPI_Irecv(data, count, type, from, in_tag, comm, r); }, status);
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

#if MPI_VERSION >= 4

int MPI_Send_c(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return native_or_driven<PMPI_Send_c, PMPI_Isend_c>(nothing_in_flight(), data, count, type, to, tag, comm);
}

int MPI_Ssend_c(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return native_or_driven<PMPI_Ssend_c, PMPI_Issend_c>(nothing_in_flight(), data, count, type, to, tag, comm);
}

int MPI_Rsend_c(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return native_or_driven<PMPI_Rsend_c, PMPI_Irsend_c>(nothing_in_flight(), data, count, type, to, tag, comm);
}

int MPI_Recv_c(void* data, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    if (nothing_in_flight()) return PMPI_Recv_c(data, count, type, from, tag, comm, status);
    return complete([&](MPI_Request* r) { return PMPI_Irecv_c(data, count, type, from, tag, comm, r); }, status);
}

int MPI_Sendrecv_c(const void* out, MPI_Count out_count, MPI_Datatype out_type, int to, int out_tag, void* in,
                   MPI_Count in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
    if (nothing_in_flight())
        return PMPI_Sendrecv_c(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm,
                               status);
    return complete_both([&](MPI_Request* r) { return PMPI_Isend_c(out, out_count, out_type, to, out_tag, comm, r); },
                         [&](MPI_Request* r) { return PMPI_Irecv_c(in, in_count, in_type, from, in_tag, comm, r); },
                         status);
}

int MPI_Sendrecv_replace_c(void* data, MPI_Count count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                           MPI_Comm comm, MPI_Status* status) {
    if (nothing_in_flight()) return PMPI_Sendrecv_replace_c(data, count, type, to, out_tag, from, in_tag, comm, status);
    return complete(
        [&](MPI_Request* r) { return PMPI_Isendrecv_replace_c(data, count, type, to, out_tag, from, in_tag, comm, r); },
        status);
}

COLLSCHED_ALSO_PMPI(MPI_, _c, Send, Ssend, Rsend, Recv, Sendrecv, Sendrecv_replace);

#endif

COLLSCHED_ALSO_PMPI(MPI_, , Send, Ssend, Rsend, Recv, Sendrecv, Sendrecv_replace, Probe, Iprobe, Mprobe, Improbe);
