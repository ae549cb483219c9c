#include "calls.hpp"

using namespace collsched::preload;

int MPI_Barrier(MPI_Comm comm) {
    return blocking(
        {.what = function::barrier, .comm = comm}, [&] { return PMPI_Barrier(comm); },
        [&](MPI_Request* request) { return PMPI_Ibarrier(comm, request); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::bcast, .comm = comm, .root = root, .out = buffer, .receive = {.count = count, .type = type}},
        [&] { return PMPI_Bcast(buffer, count, type, root, comm); },
        [&](MPI_Request* request) { return PMPI_Ibcast(buffer, count, type, root, comm, request); });
}

int MPI_Scatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                int root, MPI_Comm comm) {
    return blocking(
        {.what = function::scatter,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Scatter(in, in_count, in_type, out, out_count, out_type, root, comm); },
        [&](MPI_Request* request) {
            return PMPI_Iscatter(in, in_count, in_type, out, out_count, out_type, root, comm, request);
        });
}

int MPI_Scatterv(const void* in, const int in_counts[], const int displs[], MPI_Datatype in_type, void* out,
                 int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::scatterv,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.counts = in_counts, .displs = displs, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Scatterv(in, in_counts, displs, in_type, out, out_count, out_type, root, comm); },
        [&](MPI_Request* request) {
            return PMPI_Iscatterv(in, in_counts, displs, in_type, out, out_count, out_type, root, comm, request);
        });
}

int MPI_Gather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
               int root, MPI_Comm comm) {
    return blocking(
        {.what = function::gather,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Gather(in, in_count, in_type, out, out_count, out_type, root, comm); },
        [&](MPI_Request* request) {
            return PMPI_Igather(in, in_count, in_type, out, out_count, out_type, root, comm, request);
        });
}

int MPI_Gatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int displs[], MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::gatherv,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
        [&] { return PMPI_Gatherv(in, in_count, in_type, out, out_counts, displs, out_type, root, comm); },
        [&](MPI_Request* request) {
            return PMPI_Igatherv(in, in_count, in_type, out, out_counts, displs, out_type, root, comm, request);
        });
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm) {
    return blocking(
        {.what = function::allgather,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm); },
        [&](MPI_Request* request) {
            return PMPI_Iallgather(in, in_count, in_type, out, out_count, out_type, comm, request);
        });
}

int MPI_Allgatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                   const int displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return blocking(
        {.what = function::allgatherv,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
        [&] { return PMPI_Allgatherv(in, in_count, in_type, out, out_counts, displs, out_type, comm); },
        [&](MPI_Request* request) {
            return PMPI_Iallgatherv(in, in_count, in_type, out, out_counts, displs, out_type, comm, request);
        });
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::reduce,
         .comm = comm,
         .root = root,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Reduce(in, out, count, type, op, root, comm); },
        [&](MPI_Request* request) { return PMPI_Ireduce(in, out, count, type, op, root, comm, request); });
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking(
        {.what = function::allreduce,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Allreduce(in, out, count, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Iallreduce(in, out, count, type, op, comm, request); });
}

int MPI_Reduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking(
        {.what = function::reduce_scatter,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.counts = counts, .type = type}},
        [&] { return PMPI_Reduce_scatter(in, out, counts, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Ireduce_scatter(in, out, counts, type, op, comm, request); });
}

int MPI_Reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking(
        {.what = function::reduce_scatter_block,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Reduce_scatter_block(in, out, count, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Ireduce_scatter_block(in, out, count, type, op, comm, request); });
}

int MPI_Scan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking(
        {.what = function::scan,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Scan(in, out, count, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Iscan(in, out, count, type, op, comm, request); });
}

int MPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking(
        {.what = function::exscan,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Exscan(in, out, count, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Iexscan(in, out, count, type, op, comm, request); });
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                 MPI_Comm comm) {
    return blocking(
        {.what = function::alltoall,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm); },
        [&](MPI_Request* request) {
            return PMPI_Ialltoall(in, in_count, in_type, out, out_count, out_type, comm, request);
        });
}

int MPI_Alltoallv(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type, void* out,
                  const int out_counts[], const int out_displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return blocking(
        {.what = function::alltoallv,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.counts = in_counts, .displs = in_displs, .type = in_type},
         .receive = {.counts = out_counts, .displs = out_displs, .type = out_type}},
        [&] { return PMPI_Alltoallv(in, in_counts, in_displs, in_type, out, out_counts, out_displs, out_type, comm); },
        [&](MPI_Request* request) {
            return PMPI_Ialltoallv(in, in_counts, in_displs, in_type, out, out_counts, out_displs, out_type, comm,
                                   request);
        });
}

int MPI_Alltoallw(const void* in, const int in_counts[], const int in_displs[], const MPI_Datatype in_types[],
                  void* out, const int out_counts[], const int out_displs[], const MPI_Datatype out_types[],
                  MPI_Comm comm) {
    return blocking(
        {.what = function::alltoallw,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.counts = in_counts, .displs = in_displs, .types = in_types},
         .receive = {.counts = out_counts, .displs = out_displs, .types = out_types}},
        [&] {
            return PMPI_Alltoallw(in, in_counts, in_displs, in_types, out, out_counts, out_displs, out_types, comm);
        },
        [&](MPI_Request* request) {
            return PMPI_Ialltoallw(in, in_counts, in_displs, in_types, out, out_counts, out_displs, out_types, comm,
                                   request);
        });
}
