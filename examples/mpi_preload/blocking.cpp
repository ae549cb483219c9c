#include "calls.hpp"
#include "descriptions.hpp"
#include "environment.hpp"
#include "progress.hpp"

using namespace collsched::preload;
using enum function;

namespace {

/// Common implementation of blocking functions: `given` are the arguments of MPI's function `What`, `Native` is the MPI
/// library's function, and `Begin` its non-blocking form. A thread blocked in `Native` could not drive operations in
/// flight, and MPI does not match blocking with non-blocking calls. The non-blocking form is therefore always used, on
/// all ranks, whatever is in flight. (`Native` is used if this library has no state.)
template <function What, auto Native, auto Begin, class... Arguments>
[[gnu::always_inline]] inline int blocking(Arguments... given) {
    int error = MPI_SUCCESS;
    if (run_blocking(arguments_of(What, given...), &error)) return error;
    return native_or_driven<Native, Begin>(!mpi_is_up(), given...);
}

}  // namespace

int MPI_Barrier(MPI_Comm comm) { return blocking<barrier, PMPI_Barrier, PMPI_Ibarrier>(comm); }

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return blocking<bcast, PMPI_Bcast, PMPI_Ibcast>(buffer, count, type, root, comm);
}

int MPI_Scatter(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                int root, MPI_Comm comm) {
    return blocking<scatter, PMPI_Scatter, PMPI_Iscatter>(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Scatterv(const void* in, const int in_counts[], const int displs[], MPI_Datatype in_type, void* out,
                 int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<scatterv, PMPI_Scatterv, PMPI_Iscatterv>(in, in_counts, displs, in_type, out, out_count, out_type,
                                                             root, comm);
}

int MPI_Gather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
               int root, MPI_Comm comm) {
    return blocking<gather, PMPI_Gather, PMPI_Igather>(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Gatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int displs[], MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<gatherv, PMPI_Gatherv, PMPI_Igatherv>(in, in_count, in_type, out, out_counts, displs, out_type,
                                                          root, comm);
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm) {
    return blocking<allgather, PMPI_Allgather, PMPI_Iallgather>(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Allgatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                   const int displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<allgatherv, PMPI_Allgatherv, PMPI_Iallgatherv>(in, in_count, in_type, out, out_counts, displs,
                                                                   out_type, comm);
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return blocking<reduce, PMPI_Reduce, PMPI_Ireduce>(in, out, count, type, op, root, comm);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<allreduce, PMPI_Allreduce, PMPI_Iallreduce>(in, out, count, type, op, comm);
}

int MPI_Reduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<reduce_scatter, PMPI_Reduce_scatter, PMPI_Ireduce_scatter>(in, out, counts, type, op, comm);
}

int MPI_Reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<reduce_scatter_block, PMPI_Reduce_scatter_block, PMPI_Ireduce_scatter_block>(in, out, count, type,
                                                                                                 op, comm);
}

int MPI_Scan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<scan, PMPI_Scan, PMPI_Iscan>(in, out, count, type, op, comm);
}

int MPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<exscan, PMPI_Exscan, PMPI_Iexscan>(in, out, count, type, op, comm);
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                 MPI_Comm comm) {
    return blocking<alltoall, PMPI_Alltoall, PMPI_Ialltoall>(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Alltoallv(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type, void* out,
                  const int out_counts[], const int out_displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<alltoallv, PMPI_Alltoallv, PMPI_Ialltoallv>(in, in_counts, in_displs, in_type, out, out_counts,
                                                                out_displs, out_type, comm);
}

int MPI_Alltoallw(const void* in, const int in_counts[], const int in_displs[], const MPI_Datatype in_types[],
                  void* out, const int out_counts[], const int out_displs[], const MPI_Datatype out_types[],
                  MPI_Comm comm) {
    return blocking<alltoallw, PMPI_Alltoallw, PMPI_Ialltoallw>(in, in_counts, in_displs, in_types, out, out_counts,
                                                                out_displs, out_types, comm);
}

// With wide integers, of MPI-4.
#if MPI_VERSION >= 4

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    return blocking<bcast, PMPI_Bcast_c, PMPI_Ibcast_c>(buffer, count, type, root, comm);
}

int MPI_Scatter_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                  MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<scatter, PMPI_Scatter_c, PMPI_Iscatter_c>(in, in_count, in_type, out, out_count, out_type, root,
                                                              comm);
}

int MPI_Scatterv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint displs[], MPI_Datatype in_type,
                   void* out, MPI_Count out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<scatterv, PMPI_Scatterv_c, PMPI_Iscatterv_c>(in, in_counts, displs, in_type, out, out_count,
                                                                 out_type, root, comm);
}

int MPI_Gather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                 MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<gather, PMPI_Gather_c, PMPI_Igather_c>(in, in_count, in_type, out, out_count, out_type, root, comm);
}

int MPI_Gatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                  const MPI_Aint displs[], MPI_Datatype out_type, int root, MPI_Comm comm) {
    return blocking<gatherv, PMPI_Gatherv_c, PMPI_Igatherv_c>(in, in_count, in_type, out, out_counts, displs, out_type,
                                                              root, comm);
}

int MPI_Allgather_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                    MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<allgather, PMPI_Allgather_c, PMPI_Iallgather_c>(in, in_count, in_type, out, out_count, out_type,
                                                                    comm);
}

int MPI_Allgatherv_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, const MPI_Count out_counts[],
                     const MPI_Aint displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<allgatherv, PMPI_Allgatherv_c, PMPI_Iallgatherv_c>(in, in_count, in_type, out, out_counts, displs,
                                                                       out_type, comm);
}

int MPI_Reduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return blocking<reduce, PMPI_Reduce_c, PMPI_Ireduce_c>(in, out, count, type, op, root, comm);
}

int MPI_Allreduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<allreduce, PMPI_Allreduce_c, PMPI_Iallreduce_c>(in, out, count, type, op, comm);
}

int MPI_Reduce_scatter_c(const void* in, void* out, const MPI_Count counts[], MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
    return blocking<reduce_scatter, PMPI_Reduce_scatter_c, PMPI_Ireduce_scatter_c>(in, out, counts, type, op, comm);
}

int MPI_Reduce_scatter_block_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm) {
    return blocking<reduce_scatter_block, PMPI_Reduce_scatter_block_c, PMPI_Ireduce_scatter_block_c>(in, out, count,
                                                                                                     type, op, comm);
}

int MPI_Scan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<scan, PMPI_Scan_c, PMPI_Iscan_c>(in, out, count, type, op, comm);
}

int MPI_Exscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return blocking<exscan, PMPI_Exscan_c, PMPI_Iexscan_c>(in, out, count, type, op, comm);
}

int MPI_Alltoall_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                   MPI_Datatype out_type, MPI_Comm comm) {
    return blocking<alltoall, PMPI_Alltoall_c, PMPI_Ialltoall_c>(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Alltoallv_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[], MPI_Datatype in_type,
                    void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[], MPI_Datatype out_type,
                    MPI_Comm comm) {
    return blocking<alltoallv, PMPI_Alltoallv_c, PMPI_Ialltoallv_c>(in, in_counts, in_displs, in_type, out, out_counts,
                                                                    out_displs, out_type, comm);
}

int MPI_Alltoallw_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[],
                    const MPI_Datatype in_types[], void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[],
                    const MPI_Datatype out_types[], MPI_Comm comm) {
    return blocking<alltoallw, PMPI_Alltoallw_c, PMPI_Ialltoallw_c>(in, in_counts, in_displs, in_types, out, out_counts,
                                                                    out_displs, out_types, comm);
}

#endif
