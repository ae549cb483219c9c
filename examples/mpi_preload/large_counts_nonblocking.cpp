#include "calls.hpp"

using namespace collsched::preload;

// The forms with wide integers, of MPI-4.
#if MPI_VERSION >= 4

int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::bcast, .comm = comm, .root = root, .out = buffer, .receive = {.count = count, .type = type}},
        request, [&] { return PMPI_Ibcast_c(buffer, count, type, root, comm, request); });
}

int MPI_Iscatter_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                   MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::scatter,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request, [&] { return PMPI_Iscatter_c(in, in_count, in_type, out, out_count, out_type, root, comm, request); });
}

int MPI_Iscatterv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint displs[], MPI_Datatype in_type,
                    void* out, MPI_Count out_count, MPI_Datatype out_type, int root, MPI_Comm comm,
                    MPI_Request* request) {
    return nonblocking({.what = function::scatterv,
                        .comm = comm,
                        .root = root,
                        .in = in,
                        .out = out,
                        .send = {.counts = in_counts, .displs = displs, .type = in_type},
                        .receive = {.count = out_count, .type = out_type}},
                       request, [&] {
                           return PMPI_Iscatterv_c(in, in_counts, displs, in_type, out, out_count, out_type, root, comm,
                                                   request);
                       });
}

int MPI_Igather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                  MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::gather,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request, [&] { return PMPI_Igather_c(in, in_count, in_type, out, out_count, out_type, root, comm, request); });
}

int MPI_Igatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                   const MPI_Aint displs[], MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::gatherv,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
        request,
        [&] { return PMPI_Igatherv_c(in, in_count, in_type, out, out_counts, displs, out_type, root, comm, request); });
}

int MPI_Iallgather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                     MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::allgather,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request, [&] { return PMPI_Iallgather_c(in, in_count, in_type, out, out_count, out_type, comm, request); });
}

int MPI_Iallgatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                      const MPI_Aint displs[], MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::allgatherv,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
        request,
        [&] { return PMPI_Iallgatherv_c(in, in_count, in_type, out, out_counts, displs, out_type, comm, request); });
}

int MPI_Ireduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                  MPI_Request* request) {
    return nonblocking({.what = function::reduce,
                        .comm = comm,
                        .root = root,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Ireduce_c(in, out, count, type, op, root, comm, request); });
}

int MPI_Iallreduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                     MPI_Request* request) {
    return nonblocking({.what = function::allreduce,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Iallreduce_c(in, out, count, type, op, comm, request); });
}

int MPI_Ireduce_scatter_c(const void* in, void* out, const MPI_Count counts[], MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request* request) {
    return nonblocking({.what = function::reduce_scatter,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.counts = counts, .type = type}},
                       request, [&] { return PMPI_Ireduce_scatter_c(in, out, counts, type, op, comm, request); });
}

int MPI_Ireduce_scatter_block_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                MPI_Request* request) {
    return nonblocking({.what = function::reduce_scatter_block,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Ireduce_scatter_block_c(in, out, count, type, op, comm, request); });
}

int MPI_Iscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
    return nonblocking({.what = function::scan,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Iscan_c(in, out, count, type, op, comm, request); });
}

int MPI_Iexscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                  MPI_Request* request) {
    return nonblocking({.what = function::exscan,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Iexscan_c(in, out, count, type, op, comm, request); });
}

int MPI_Ialltoall_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                    MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::alltoall,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request, [&] { return PMPI_Ialltoall_c(in, in_count, in_type, out, out_count, out_type, comm, request); });
}

int MPI_Ialltoallv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[], MPI_Datatype in_type,
                     void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[], MPI_Datatype out_type,
                     MPI_Comm comm, MPI_Request* request) {
    return nonblocking({.what = function::alltoallv,
                        .comm = comm,
                        .in = in,
                        .out = out,
                        .send = {.counts = in_counts, .displs = in_displs, .type = in_type},
                        .receive = {.counts = out_counts, .displs = out_displs, .type = out_type}},
                       request, [&] {
                           return PMPI_Ialltoallv_c(in, in_counts, in_displs, in_type, out, out_counts, out_displs,
                                                    out_type, comm, request);
                       });
}

int MPI_Ialltoallw_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[],
                     const MPI_Datatype in_types[], void* out, const MPI_Count out_counts[],
                     const MPI_Aint out_displs[], const MPI_Datatype out_types[], MPI_Comm comm, MPI_Request* request) {
    return nonblocking({.what = function::alltoallw,
                        .comm = comm,
                        .in = in,
                        .out = out,
                        .send = {.counts = in_counts, .displs = in_displs, .types = in_types},
                        .receive = {.counts = out_counts, .displs = out_displs, .types = out_types}},
                       request, [&] {
                           return PMPI_Ialltoallw_c(in, in_counts, in_displs, in_types, out, out_counts, out_displs,
                                                    out_types, comm, request);
                       });
}

#endif
