#include "calls.hpp"

using namespace collsched::preload;

// The forms with wide integers, of MPI-4.
#if MPI_VERSION >= 4

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::bcast, .comm = comm, .root = root, .out = buffer, .receive = {.count = count, .type = type}},
        [&] { return PMPI_Bcast_c(buffer, count, type, root, comm); },
        [&](MPI_Request* request) { return PMPI_Ibcast_c(buffer, count, type, root, comm, request); });
}

int MPI_Scatter_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                  MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::scatter,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Scatter_c(in, in_count, in_type, out, out_count, out_type, root, comm); },
        [&](MPI_Request* request) {
            return PMPI_Iscatter_c(in, in_count, in_type, out, out_count, out_type, root, comm, request);
        });
}

int MPI_Scatterv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint displs[], MPI_Datatype in_type,
                   void* out, MPI_Count out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::scatterv,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.counts = in_counts, .displs = displs, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Scatterv_c(in, in_counts, displs, in_type, out, out_count, out_type, root, comm); },
        [&](MPI_Request* request) {
            return PMPI_Iscatterv_c(in, in_counts, displs, in_type, out, out_count, out_type, root, comm, request);
        });
}

int MPI_Gather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                 MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::gather,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Gather_c(in, in_count, in_type, out, out_count, out_type, root, comm); },
        [&](MPI_Request* request) {
            return PMPI_Igather_c(in, in_count, in_type, out, out_count, out_type, root, comm, request);
        });
}

int MPI_Gatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                  const MPI_Aint displs[], MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::gatherv,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
        [&] { return PMPI_Gatherv_c(in, in_count, in_type, out, out_counts, displs, out_type, root, comm); },
        [&](MPI_Request* request) {
            return PMPI_Igatherv_c(in, in_count, in_type, out, out_counts, displs, out_type, root, comm, request);
        });
}

int MPI_Allgather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                    MPI_Datatype out_type, MPI_Comm comm) {
    return blocking(
        {.what = function::allgather,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Allgather_c(in, in_count, in_type, out, out_count, out_type, comm); },
        [&](MPI_Request* request) {
            return PMPI_Iallgather_c(in, in_count, in_type, out, out_count, out_type, comm, request);
        });
}

int MPI_Allgatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                     const MPI_Aint displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return blocking(
        {.what = function::allgatherv,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
        [&] { return PMPI_Allgatherv_c(in, in_count, in_type, out, out_counts, displs, out_type, comm); },
        [&](MPI_Request* request) {
            return PMPI_Iallgatherv_c(in, in_count, in_type, out, out_counts, displs, out_type, comm, request);
        });
}

int MPI_Reduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return blocking(
        {.what = function::reduce,
         .comm = comm,
         .root = root,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Reduce_c(in, out, count, type, op, root, comm); },
        [&](MPI_Request* request) { return PMPI_Ireduce_c(in, out, count, type, op, root, comm, request); });
}

int MPI_Allreduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking(
        {.what = function::allreduce,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Allreduce_c(in, out, count, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Iallreduce_c(in, out, count, type, op, comm, request); });
}

int MPI_Reduce_scatter_c(const void* in, void* out, const MPI_Count counts[], MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
    return blocking(
        {.what = function::reduce_scatter,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.counts = counts, .type = type}},
        [&] { return PMPI_Reduce_scatter_c(in, out, counts, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Ireduce_scatter_c(in, out, counts, type, op, comm, request); });
}

int MPI_Reduce_scatter_block_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm) {
    return blocking(
        {.what = function::reduce_scatter_block,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Reduce_scatter_block_c(in, out, count, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Ireduce_scatter_block_c(in, out, count, type, op, comm, request); });
}

int MPI_Scan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking(
        {.what = function::scan,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Scan_c(in, out, count, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Iscan_c(in, out, count, type, op, comm, request); });
}

int MPI_Exscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking(
        {.what = function::exscan,
         .comm = comm,
         .op = op,
         .in = in,
         .out = out,
         .receive = {.count = count, .type = type}},
        [&] { return PMPI_Exscan_c(in, out, count, type, op, comm); },
        [&](MPI_Request* request) { return PMPI_Iexscan_c(in, out, count, type, op, comm, request); });
}

int MPI_Alltoall_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                   MPI_Datatype out_type, MPI_Comm comm) {
    return blocking(
        {.what = function::alltoall,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        [&] { return PMPI_Alltoall_c(in, in_count, in_type, out, out_count, out_type, comm); },
        [&](MPI_Request* request) {
            return PMPI_Ialltoall_c(in, in_count, in_type, out, out_count, out_type, comm, request);
        });
}

int MPI_Alltoallv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[], MPI_Datatype in_type,
                    void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[], MPI_Datatype out_type,
                    MPI_Comm comm) {
    return blocking(
        {.what = function::alltoallv,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.counts = in_counts, .displs = in_displs, .type = in_type},
         .receive = {.counts = out_counts, .displs = out_displs, .type = out_type}},
        [&] {
            return PMPI_Alltoallv_c(in, in_counts, in_displs, in_type, out, out_counts, out_displs, out_type, comm);
        },
        [&](MPI_Request* request) {
            return PMPI_Ialltoallv_c(in, in_counts, in_displs, in_type, out, out_counts, out_displs, out_type, comm,
                                     request);
        });
}

int MPI_Alltoallw_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[],
                    const MPI_Datatype in_types[], void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[],
                    const MPI_Datatype out_types[], MPI_Comm comm) {
    return blocking(
        {.what = function::alltoallw,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.counts = in_counts, .displs = in_displs, .types = in_types},
         .receive = {.counts = out_counts, .displs = out_displs, .types = out_types}},
        [&] {
            return PMPI_Alltoallw_c(in, in_counts, in_displs, in_types, out, out_counts, out_displs, out_types, comm);
        },
        [&](MPI_Request* request) {
            return PMPI_Ialltoallw_c(in, in_counts, in_displs, in_types, out, out_counts, out_displs, out_types, comm,
                                     request);
        });
}

#endif
