#include "calls.hpp"
#include "descriptions.hpp"

using namespace collsched::preload;
using enum function;

namespace {

/// Common implementation of persistent functions: `given` are the arguments of MPI's function `What`, and `Native` is
/// the MPI library's function.
template <function What, auto Native, class... Arguments>
int persistent(MPI_Info info, MPI_Request* request, Arguments... given) {
    int error = MPI_SUCCESS;
    if (request != nullptr && run_persistent(arguments_of(What, given...), request, &error)) return error;
    return Native(given..., info, request);
}

}  // namespace

// MPI-4 has these functions; Open MPI 4 has extensions such as MPIX_Gather_init for MPI_Gather_init.
#if MPI_VERSION >= 4
#define MPIX(name) MPI_##name
#define PMPIX(name) PMPI_##name
#elif defined(OPEN_MPI)
#define MPIX(name) MPIX_##name
#define PMPIX(name) PMPIX_##name
#endif

#ifdef MPIX

int MPIX(Barrier_init)(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<barrier, PMPIX(Barrier_init)>(info, request, comm);
}

int MPIX(Bcast_init)(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request* request) {
    return persistent<bcast, PMPIX(Bcast_init)>(info, request, buffer, count, type, root, comm);
}

int MPIX(Scatter_init)(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                       MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<scatter, PMPIX(Scatter_init)>(info, request, in, in_count, in_type, out, out_count, out_type,
                                                    root, comm);
}

int MPIX(Scatterv_init)(const void* in, const int in_counts[], const int displs[], MPI_Datatype in_type, void* out,
                        int out_count, MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info,
                        MPI_Request* request) {
    return persistent<scatterv, PMPIX(Scatterv_init)>(info, request, in, in_counts, displs, in_type, out, out_count,
                                                      out_type, root, comm);
}

int MPIX(Gather_init)(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                      MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<gather, PMPIX(Gather_init)>(info, request, in, in_count, in_type, out, out_count, out_type, root,
                                                  comm);
}

int MPIX(Gatherv_init)(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                       const int displs[], MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info,
                       MPI_Request* request) {
    return persistent<gatherv, PMPIX(Gatherv_init)>(info, request, in, in_count, in_type, out, out_counts, displs,
                                                    out_type, root, comm);
}

int MPIX(Allgather_init)(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                         MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<allgather, PMPIX(Allgather_init)>(info, request, in, in_count, in_type, out, out_count, out_type,
                                                        comm);
}

int MPIX(Allgatherv_init)(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                          const int displs[], MPI_Datatype out_type, MPI_Comm comm, MPI_Info info,
                          MPI_Request* request) {
    return persistent<allgatherv, PMPIX(Allgatherv_init)>(info, request, in, in_count, in_type, out, out_counts, displs,
                                                          out_type, comm);
}

int MPIX(Reduce_init)(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                      MPI_Info info, MPI_Request* request) {
    return persistent<reduce, PMPIX(Reduce_init)>(info, request, in, out, count, type, op, root, comm);
}

int MPIX(Allreduce_init)(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                         MPI_Info info, MPI_Request* request) {
    return persistent<allreduce, PMPIX(Allreduce_init)>(info, request, in, out, count, type, op, comm);
}

int MPIX(Reduce_scatter_init)(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<reduce_scatter, PMPIX(Reduce_scatter_init)>(info, request, in, out, counts, type, op, comm);
}

int MPIX(Reduce_scatter_block_init)(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                    MPI_Info info, MPI_Request* request) {
    return persistent<reduce_scatter_block, PMPIX(Reduce_scatter_block_init)>(info, request, in, out, count, type, op,
                                                                              comm);
}

int MPIX(Scan_init)(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                    MPI_Request* request) {
    return persistent<scan, PMPIX(Scan_init)>(info, request, in, out, count, type, op, comm);
}

int MPIX(Exscan_init)(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                      MPI_Request* request) {
    return persistent<exscan, PMPIX(Exscan_init)>(info, request, in, out, count, type, op, comm);
}

int MPIX(Alltoall_init)(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                        MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<alltoall, PMPIX(Alltoall_init)>(info, request, in, in_count, in_type, out, out_count, out_type,
                                                      comm);
}

int MPIX(Alltoallv_init)(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type, void* out,
                         const int out_counts[], const int out_displs[], MPI_Datatype out_type, MPI_Comm comm,
                         MPI_Info info, MPI_Request* request) {
    return persistent<alltoallv, PMPIX(Alltoallv_init)>(info, request, in, in_counts, in_displs, in_type, out,
                                                        out_counts, out_displs, out_type, comm);
}

int MPIX(Alltoallw_init)(const void* in, const int in_counts[], const int in_displs[], const MPI_Datatype in_types[],
                         void* out, const int out_counts[], const int out_displs[], const MPI_Datatype out_types[],
                         MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<alltoallw, PMPIX(Alltoallw_init)>(info, request, in, in_counts, in_displs, in_types, out,
                                                        out_counts, out_displs, out_types, comm);
}

#endif

// With wide integers, of MPI-4.
#if MPI_VERSION >= 4

int MPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request* request) {
    return persistent<bcast, PMPI_Bcast_init_c>(info, request, buffer, count, type, root, comm);
}

int MPI_Scatter_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                       MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<scatter, PMPI_Scatter_init_c>(info, request, in, in_count, in_type, out, out_count, out_type,
                                                    root, comm);
}

int MPI_Scatterv_init_c(const void* in, const MPI_Count in_counts[], const MPI_Aint displs[], MPI_Datatype in_type,
                        void* out, MPI_Count out_count, MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info,
                        MPI_Request* request) {
    return persistent<scatterv, PMPI_Scatterv_init_c>(info, request, in, in_counts, displs, in_type, out, out_count,
                                                      out_type, root, comm);
}

int MPI_Gather_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                      MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<gather, PMPI_Gather_init_c>(info, request, in, in_count, in_type, out, out_count, out_type, root,
                                                  comm);
}

int MPI_Gatherv_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
                       const MPI_Count out_counts[], const MPI_Aint displs[], MPI_Datatype out_type, int root,
                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<gatherv, PMPI_Gatherv_init_c>(info, request, in, in_count, in_type, out, out_counts, displs,
                                                    out_type, root, comm);
}

int MPI_Allgather_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                         MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<allgather, PMPI_Allgather_init_c>(info, request, in, in_count, in_type, out, out_count, out_type,
                                                        comm);
}

int MPI_Allgatherv_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
                          const MPI_Count out_counts[], const MPI_Aint displs[], MPI_Datatype out_type, MPI_Comm comm,
                          MPI_Info info, MPI_Request* request) {
    return persistent<allgatherv, PMPI_Allgatherv_init_c>(info, request, in, in_count, in_type, out, out_counts, displs,
                                                          out_type, comm);
}

int MPI_Reduce_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                      MPI_Info info, MPI_Request* request) {
    return persistent<reduce, PMPI_Reduce_init_c>(info, request, in, out, count, type, op, root, comm);
}

int MPI_Allreduce_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                         MPI_Info info, MPI_Request* request) {
    return persistent<allreduce, PMPI_Allreduce_init_c>(info, request, in, out, count, type, op, comm);
}

int MPI_Reduce_scatter_init_c(const void* in, void* out, const MPI_Count counts[], MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<reduce_scatter, PMPI_Reduce_scatter_init_c>(info, request, in, out, counts, type, op, comm);
}

int MPI_Reduce_scatter_block_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<reduce_scatter_block, PMPI_Reduce_scatter_block_init_c>(info, request, in, out, count, type, op,
                                                                              comm);
}

int MPI_Scan_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Info info, MPI_Request* request) {
    return persistent<scan, PMPI_Scan_init_c>(info, request, in, out, count, type, op, comm);
}

int MPI_Exscan_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                      MPI_Info info, MPI_Request* request) {
    return persistent<exscan, PMPI_Exscan_init_c>(info, request, in, out, count, type, op, comm);
}

int MPI_Alltoall_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                        MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<alltoall, PMPI_Alltoall_init_c>(info, request, in, in_count, in_type, out, out_count, out_type,
                                                      comm);
}

int MPI_Alltoallv_init_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[], MPI_Datatype in_type,
                         void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[], MPI_Datatype out_type,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<alltoallv, PMPI_Alltoallv_init_c>(info, request, in, in_counts, in_displs, in_type, out,
                                                        out_counts, out_displs, out_type, comm);
}

int MPI_Alltoallw_init_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[],
                         const MPI_Datatype in_types[], void* out, const MPI_Count out_counts[],
                         const MPI_Aint out_displs[], const MPI_Datatype out_types[], MPI_Comm comm, MPI_Info info,
                         MPI_Request* request) {
    return persistent<alltoallw, PMPI_Alltoallw_init_c>(info, request, in, in_counts, in_displs, in_types, out,
                                                        out_counts, out_displs, out_types, comm);
}

COLLSCHED_ALSO_PMPI(MPI_, _init, Barrier, Bcast, Scatter, Scatterv, Gather, Gatherv, Allgather, Allgatherv, Reduce,
                    Allreduce, Reduce_scatter, Reduce_scatter_block, Alltoall, Alltoallv, Alltoallw, Scan, Exscan);
COLLSCHED_ALSO_PMPI(MPI_, _init_c, Bcast, Scatter, Scatterv, Gather, Gatherv, Allgather, Allgatherv, Reduce, Allreduce,
                    Reduce_scatter, Reduce_scatter_block, Alltoall, Alltoallv, Alltoallw, Scan, Exscan);

#elif defined(OPEN_MPI)

COLLSCHED_ALSO_PMPI(MPIX_, _init, Barrier, Bcast, Scatter, Scatterv, Gather, Gatherv, Allgather, Allgatherv, Reduce,
                    Allreduce, Reduce_scatter, Reduce_scatter_block, Alltoall, Alltoallv, Alltoallw, Scan, Exscan);

#endif
