#include "calls.hpp"
#include "descriptions.hpp"

using namespace collsched::preload;
using enum function;

namespace {

/// Common implementation of non-blocking functions: `given` are the arguments of MPI's function `What`, and `Native` is
/// the MPI library's function.
template <function What, auto Native, class... Arguments>
int nonblocking(MPI_Request* request, Arguments... given) {
    int error = MPI_SUCCESS;
    if (request != nullptr && run_nonblocking(arguments_of(What, given...), request, &error)) return error;
    return Native(given..., request);
}

}  // namespace

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) { return nonblocking<barrier, PMPI_Ibarrier>(request, comm); }

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<bcast, PMPI_Ibcast>(request, buffer, count, type, root, comm);
}

int MPI_Iscatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                 int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<scatter, PMPI_Iscatter>(request, in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Iscatterv(const void* in, const int in_counts[], const int displs[], MPI_Datatype in_type, void* out,
                  int out_count, MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<scatterv, PMPI_Iscatterv>(request, in, in_counts, displs, in_type, out, out_count, out_type,
                                                 root, comm);
}

int MPI_Igather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<gather, PMPI_Igather>(request, in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Igatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                 const int displs[], MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<gatherv, PMPI_Igatherv>(request, in, in_count, in_type, out, out_counts, displs, out_type, root,
                                               comm);
}

int MPI_Iallgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                   MPI_Comm comm, MPI_Request* request) {
    return nonblocking<allgather, PMPI_Iallgather>(request, in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Iallgatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                    const int displs[], MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<allgatherv, PMPI_Iallgatherv>(request, in, in_count, in_type, out, out_counts, displs, out_type,
                                                     comm);
}

int MPI_Ireduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request* request) {
    return nonblocking<reduce, PMPI_Ireduce>(request, in, out, count, type, op, root, comm);
}

int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
    return nonblocking<allreduce, PMPI_Iallreduce>(request, in, out, count, type, op, comm);
}

int MPI_Ireduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request* request) {
    return nonblocking<reduce_scatter, PMPI_Ireduce_scatter>(request, in, out, counts, type, op, comm);
}

int MPI_Ireduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
    return nonblocking<reduce_scatter_block, PMPI_Ireduce_scatter_block>(request, in, out, count, type, op, comm);
}

int MPI_Iscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<scan, PMPI_Iscan>(request, in, out, count, type, op, comm);
}

int MPI_Iexscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
    return nonblocking<exscan, PMPI_Iexscan>(request, in, out, count, type, op, comm);
}

int MPI_Ialltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm, MPI_Request* request) {
    return nonblocking<alltoall, PMPI_Ialltoall>(request, in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Ialltoallv(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type, void* out,
                   const int out_counts[], const int out_displs[], MPI_Datatype out_type, MPI_Comm comm,
                   MPI_Request* request) {
    return nonblocking<alltoallv, PMPI_Ialltoallv>(request, in, in_counts, in_displs, in_type, out, out_counts,
                                                   out_displs, out_type, comm);
}

int MPI_Ialltoallw(const void* in, const int in_counts[], const int in_displs[], const MPI_Datatype in_types[],
                   void* out, const int out_counts[], const int out_displs[], const MPI_Datatype out_types[],
                   MPI_Comm comm, MPI_Request* request) {
    return nonblocking<alltoallw, PMPI_Ialltoallw>(request, in, in_counts, in_displs, in_types, out, out_counts,
                                                   out_displs, out_types, comm);
}

// With wide integers, of MPI-4.
#if MPI_VERSION >= 4

int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<bcast, PMPI_Ibcast_c>(request, buffer, count, type, root, comm);
}

int MPI_Iscatter_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                   MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<scatter, PMPI_Iscatter_c>(request, in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Iscatterv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint displs[], MPI_Datatype in_type,
                    void* out, MPI_Count out_count, MPI_Datatype out_type, int root, MPI_Comm comm,
                    MPI_Request* request) {
    return nonblocking<scatterv, PMPI_Iscatterv_c>(request, in, in_counts, displs, in_type, out, out_count, out_type,
                                                   root, comm);
}

int MPI_Igather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                  MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<gather, PMPI_Igather_c>(request, in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Igatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                   const MPI_Aint displs[], MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<gatherv, PMPI_Igatherv_c>(request, in, in_count, in_type, out, out_counts, displs, out_type,
                                                 root, comm);
}

int MPI_Iallgather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                     MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<allgather, PMPI_Iallgather_c>(request, in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Iallgatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                      const MPI_Aint displs[], MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<allgatherv, PMPI_Iallgatherv_c>(request, in, in_count, in_type, out, out_counts, displs,
                                                       out_type, comm);
}

int MPI_Ireduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                  MPI_Request* request) {
    return nonblocking<reduce, PMPI_Ireduce_c>(request, in, out, count, type, op, root, comm);
}

int MPI_Iallreduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                     MPI_Request* request) {
    return nonblocking<allreduce, PMPI_Iallreduce_c>(request, in, out, count, type, op, comm);
}

int MPI_Ireduce_scatter_c(const void* in, void* out, const MPI_Count counts[], MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request* request) {
    return nonblocking<reduce_scatter, PMPI_Ireduce_scatter_c>(request, in, out, counts, type, op, comm);
}

int MPI_Ireduce_scatter_block_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                MPI_Request* request) {
    return nonblocking<reduce_scatter_block, PMPI_Ireduce_scatter_block_c>(request, in, out, count, type, op, comm);
}

int MPI_Iscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
    return nonblocking<scan, PMPI_Iscan_c>(request, in, out, count, type, op, comm);
}

int MPI_Iexscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                  MPI_Request* request) {
    return nonblocking<exscan, PMPI_Iexscan_c>(request, in, out, count, type, op, comm);
}

int MPI_Ialltoall_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                    MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
    return nonblocking<alltoall, PMPI_Ialltoall_c>(request, in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Ialltoallv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[], MPI_Datatype in_type,
                     void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[], MPI_Datatype out_type,
                     MPI_Comm comm, MPI_Request* request) {
    return nonblocking<alltoallv, PMPI_Ialltoallv_c>(request, in, in_counts, in_displs, in_type, out, out_counts,
                                                     out_displs, out_type, comm);
}

int MPI_Ialltoallw_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[],
                     const MPI_Datatype in_types[], void* out, const MPI_Count out_counts[],
                     const MPI_Aint out_displs[], const MPI_Datatype out_types[], MPI_Comm comm, MPI_Request* request) {
    return nonblocking<alltoallw, PMPI_Ialltoallw_c>(request, in, in_counts, in_displs, in_types, out, out_counts,
                                                     out_displs, out_types, comm);
}

COLLSCHED_ALSO_PMPI(MPI_I, _c, bcast, scatter, scatterv, gather, gatherv, allgather, allgatherv, reduce, allreduce,
                    reduce_scatter, reduce_scatter_block, alltoall, alltoallv, alltoallw, scan, exscan);

#endif

COLLSCHED_ALSO_PMPI(MPI_I, , barrier, bcast, scatter, scatterv, gather, gatherv, allgather, allgatherv, reduce,
                    allreduce, reduce_scatter, reduce_scatter_block, alltoall, alltoallv, alltoallw, scan, exscan);
