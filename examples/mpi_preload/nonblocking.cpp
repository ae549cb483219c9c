#include "calls.hpp"

using namespace collsched::preload;

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    return nonblocking({.what = function::barrier, .comm = comm}, request,
                       [&] { return PMPI_Ibarrier(comm, request); });
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::bcast, .comm = comm, .root = root, .out = buffer, .receive = {.count = count, .type = type}},
        request, [&] { return PMPI_Ibcast(buffer, count, type, root, comm, request); });
}

int MPI_Iscatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                 int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::scatter,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request, [&] { return PMPI_Iscatter(in, in_count, in_type, out, out_count, out_type, root, comm, request); });
}

int MPI_Iscatterv(const void* in, const int in_counts[], const int displs[], MPI_Datatype in_type, void* out,
                  int out_count, MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::scatterv,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.counts = in_counts, .displs = displs, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request,
        [&] { return PMPI_Iscatterv(in, in_counts, displs, in_type, out, out_count, out_type, root, comm, request); });
}

int MPI_Igather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::gather,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request, [&] { return PMPI_Igather(in, in_count, in_type, out, out_count, out_type, root, comm, request); });
}

int MPI_Igatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                 const int displs[], MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::gatherv,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
        request,
        [&] { return PMPI_Igatherv(in, in_count, in_type, out, out_counts, displs, out_type, root, comm, request); });
}

int MPI_Iallgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                   MPI_Comm comm, MPI_Request* request) {
    return nonblocking({.what = function::allgather,
                        .comm = comm,
                        .in = in,
                        .out = out,
                        .send = {.count = in_count, .type = in_type},
                        .receive = {.count = out_count, .type = out_type}},
                       request,
                       [&] { return PMPI_Iallgather(in, in_count, in_type, out, out_count, out_type, comm, request); });
}

int MPI_Iallgatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                    const int displs[], MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
    return nonblocking(
        {.what = function::allgatherv,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
        request,
        [&] { return PMPI_Iallgatherv(in, in_count, in_type, out, out_counts, displs, out_type, comm, request); });
}

int MPI_Ireduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request* request) {
    return nonblocking({.what = function::reduce,
                        .comm = comm,
                        .root = root,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Ireduce(in, out, count, type, op, root, comm, request); });
}

int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
    return nonblocking({.what = function::allreduce,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Iallreduce(in, out, count, type, op, comm, request); });
}

int MPI_Ireduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request* request) {
    return nonblocking({.what = function::reduce_scatter,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.counts = counts, .type = type}},
                       request, [&] { return PMPI_Ireduce_scatter(in, out, counts, type, op, comm, request); });
}

int MPI_Ireduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
    return nonblocking({.what = function::reduce_scatter_block,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Ireduce_scatter_block(in, out, count, type, op, comm, request); });
}

int MPI_Iscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return nonblocking({.what = function::scan,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Iscan(in, out, count, type, op, comm, request); });
}

int MPI_Iexscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
    return nonblocking({.what = function::exscan,
                        .comm = comm,
                        .op = op,
                        .in = in,
                        .out = out,
                        .receive = {.count = count, .type = type}},
                       request, [&] { return PMPI_Iexscan(in, out, count, type, op, comm, request); });
}

int MPI_Ialltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm, MPI_Request* request) {
    return nonblocking({.what = function::alltoall,
                        .comm = comm,
                        .in = in,
                        .out = out,
                        .send = {.count = in_count, .type = in_type},
                        .receive = {.count = out_count, .type = out_type}},
                       request,
                       [&] { return PMPI_Ialltoall(in, in_count, in_type, out, out_count, out_type, comm, request); });
}

int MPI_Ialltoallv(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type, void* out,
                   const int out_counts[], const int out_displs[], MPI_Datatype out_type, MPI_Comm comm,
                   MPI_Request* request) {
    return nonblocking({.what = function::alltoallv,
                        .comm = comm,
                        .in = in,
                        .out = out,
                        .send = {.counts = in_counts, .displs = in_displs, .type = in_type},
                        .receive = {.counts = out_counts, .displs = out_displs, .type = out_type}},
                       request, [&] {
                           return PMPI_Ialltoallv(in, in_counts, in_displs, in_type, out, out_counts, out_displs,
                                                  out_type, comm, request);
                       });
}

int MPI_Ialltoallw(const void* in, const int in_counts[], const int in_displs[], const MPI_Datatype in_types[],
                   void* out, const int out_counts[], const int out_displs[], const MPI_Datatype out_types[],
                   MPI_Comm comm, MPI_Request* request) {
    return nonblocking({.what = function::alltoallw,
                        .comm = comm,
                        .in = in,
                        .out = out,
                        .send = {.counts = in_counts, .displs = in_displs, .types = in_types},
                        .receive = {.counts = out_counts, .displs = out_displs, .types = out_types}},
                       request, [&] {
                           return PMPI_Ialltoallw(in, in_counts, in_displs, in_types, out, out_counts, out_displs,
                                                  out_types, comm, request);
                       });
}
