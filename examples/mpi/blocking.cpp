#include "calls.hpp"
#include "descriptions.hpp"
#include "environment.hpp"
#include "progress.hpp"
#include "report.hpp"

using namespace collsched::preload;
using enum function;

namespace {

/// Common implementation of blocking functions: `given` are the arguments of MPI's function `What`, and `Native` is the
/// MPI library's function.
template <function What, auto Native, class... Arguments>
[[gnu::always_inline]] inline int blocking(Arguments... given) {
    const call_timer timed;
    int error = MPI_SUCCESS;
    return run_blocking(arguments_of(What, given...), &error) ? error : Native(given...);
}

}  // namespace

int MPI_Barrier(MPI_Comm comm) { return blocking<barrier, PMPI_Barrier>(comm); }

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return blocking<bcast, PMPI_Bcast>(buffer, count, type, root, comm);
}

int MPI_Scatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                int root, MPI_Comm comm) {
    return blocking<scatter, PMPI_Scatter>(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Scatterv(const void* in, const int in_counts[], const int displs[], MPI_Datatype in_type, void* out,
                 int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<scatterv, PMPI_Scatterv>(in, in_counts, displs, in_type, out, out_count, out_type, root, comm);
}

int MPI_Gather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
               int root, MPI_Comm comm) {
    return blocking<gather, PMPI_Gather>(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Gatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int displs[], MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<gatherv, PMPI_Gatherv>(in, in_count, in_type, out, out_counts, displs, out_type, root, comm);
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm) {
    return blocking<allgather, PMPI_Allgather>(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Allgatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                   const int displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<allgatherv, PMPI_Allgatherv>(in, in_count, in_type, out, out_counts, displs, out_type, comm);
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return blocking<reduce, PMPI_Reduce>(in, out, count, type, op, root, comm);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<allreduce, PMPI_Allreduce>(in, out, count, type, op, comm);
}

int MPI_Reduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<reduce_scatter, PMPI_Reduce_scatter>(in, out, counts, type, op, comm);
}

int MPI_Reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<reduce_scatter_block, PMPI_Reduce_scatter_block>(in, out, count, type, op, comm);
}

int MPI_Scan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<scan, PMPI_Scan>(in, out, count, type, op, comm);
}

int MPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<exscan, PMPI_Exscan>(in, out, count, type, op, comm);
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                 MPI_Comm comm) {
    return blocking<alltoall, PMPI_Alltoall>(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Alltoallv(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type, void* out,
                  const int out_counts[], const int out_displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<alltoallv, PMPI_Alltoallv>(in, in_counts, in_displs, in_type, out, out_counts, out_displs, out_type,
                                               comm);
}

int MPI_Alltoallw(const void* in, const int in_counts[], const int in_displs[], const MPI_Datatype in_types[],
                  void* out, const int out_counts[], const int out_displs[], const MPI_Datatype out_types[],
                  MPI_Comm comm) {
    return blocking<alltoallw, PMPI_Alltoallw>(in, in_counts, in_displs, in_types, out, out_counts, out_displs,
                                               out_types, comm);
}

// With wide integers, of MPI-4.
#if MPI_VERSION >= 4

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    return blocking<bcast, PMPI_Bcast_c>(buffer, count, type, root, comm);
}

int MPI_Scatter_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                  MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<scatter, PMPI_Scatter_c>(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Scatterv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint displs[], MPI_Datatype in_type,
                   void* out, MPI_Count out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<scatterv, PMPI_Scatterv_c>(in, in_counts, displs, in_type, out, out_count, out_type, root, comm);
}

int MPI_Gather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                 MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<gather, PMPI_Gather_c>(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Gatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                  const MPI_Aint displs[], MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<gatherv, PMPI_Gatherv_c>(in, in_count, in_type, out, out_counts, displs, out_type, root, comm);
}

int MPI_Allgather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                    MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<allgather, PMPI_Allgather_c>(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Allgatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                     const MPI_Aint displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<allgatherv, PMPI_Allgatherv_c>(in, in_count, in_type, out, out_counts, displs, out_type, comm);
}

int MPI_Reduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return blocking<reduce, PMPI_Reduce_c>(in, out, count, type, op, root, comm);
}

int MPI_Allreduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<allreduce, PMPI_Allreduce_c>(in, out, count, type, op, comm);
}

int MPI_Reduce_scatter_c(const void* in, void* out, const MPI_Count counts[], MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
    return blocking<reduce_scatter, PMPI_Reduce_scatter_c>(in, out, counts, type, op, comm);
}

int MPI_Reduce_scatter_block_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm) {
    return blocking<reduce_scatter_block, PMPI_Reduce_scatter_block_c>(in, out, count, type, op, comm);
}

int MPI_Scan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<scan, PMPI_Scan_c>(in, out, count, type, op, comm);
}

int MPI_Exscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<exscan, PMPI_Exscan_c>(in, out, count, type, op, comm);
}

int MPI_Alltoall_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                   MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<alltoall, PMPI_Alltoall_c>(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Alltoallv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[], MPI_Datatype in_type,
                    void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[], MPI_Datatype out_type,
                    MPI_Comm comm) {
    return blocking<alltoallv, PMPI_Alltoallv_c>(in, in_counts, in_displs, in_type, out, out_counts, out_displs,
                                                 out_type, comm);
}

int MPI_Alltoallw_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[],
                    const MPI_Datatype in_types[], void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[],
                    const MPI_Datatype out_types[], MPI_Comm comm) {
    return blocking<alltoallw, PMPI_Alltoallw_c>(in, in_counts, in_displs, in_types, out, out_counts, out_displs,
                                                 out_types, comm);
}

COLLSCHED_ALSO_PMPI(MPI_, _c, Bcast, Scatter, Scatterv, Gather, Gatherv, Allgather, Allgatherv, Reduce, Allreduce,
                    Reduce_scatter, Reduce_scatter_block, Alltoall, Alltoallv, Alltoallw, Scan, Exscan);

#endif

COLLSCHED_ALSO_PMPI(MPI_, , Barrier, Bcast, Scatter, Scatterv, Gather, Gatherv, Allgather, Allgatherv, Reduce,
                    Allreduce, Reduce_scatter, Reduce_scatter_block, Alltoall, Alltoallv, Alltoallw, Scan, Exscan);
