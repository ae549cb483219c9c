#include <mpi.h>

// Open MPI 4 has them as extensions.
#if defined(OPEN_MPI) && MPI_VERSION < 4

#include <mpi-ext.h>

#include "calls.hpp"

using namespace collsched::preload;
using enum function;

int MPIX_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<barrier, PMPIX_Barrier_init>(info, request, comm);
}

int MPIX_Bcast_init(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                    MPI_Request* request) {
    return persistent<bcast, PMPIX_Bcast_init>(info, request, buffer, count, type, root, comm);
}

int MPIX_Scatter_init(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                      MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<scatter, PMPIX_Scatter_init>(info, request, in, in_count, in_type, out, out_count, out_type, root,
                                                   comm);
}

int MPIX_Scatterv_init(const void* in, const int in_counts[], const int displs[], MPI_Datatype in_type, void* out,
                       int out_count, MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info,
                       MPI_Request* request) {
    return persistent<scatterv, PMPIX_Scatterv_init>(info, request, in, in_counts, displs, in_type, out, out_count,
                                                     out_type, root, comm);
}

int MPIX_Gather_init(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                     MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<gather, PMPIX_Gather_init>(info, request, in, in_count, in_type, out, out_count, out_type, root,
                                                 comm);
}

int MPIX_Gatherv_init(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                      const int displs[], MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info,
                      MPI_Request* request) {
    return persistent<gatherv, PMPIX_Gatherv_init>(info, request, in, in_count, in_type, out, out_counts, displs,
                                                   out_type, root, comm);
}

int MPIX_Allgather_init(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                        MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<allgather, PMPIX_Allgather_init>(info, request, in, in_count, in_type, out, out_count, out_type,
                                                       comm);
}

int MPIX_Allgatherv_init(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                         const int displs[], MPI_Datatype out_type, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request) {
    return persistent<allgatherv, PMPIX_Allgatherv_init>(info, request, in, in_count, in_type, out, out_counts, displs,
                                                         out_type, comm);
}

int MPIX_Reduce_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                     MPI_Info info, MPI_Request* request) {
    return persistent<reduce, PMPIX_Reduce_init>(info, request, in, out, count, type, op, root, comm);
}

int MPIX_Allreduce_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Info info, MPI_Request* request) {
    return persistent<allreduce, PMPIX_Allreduce_init>(info, request, in, out, count, type, op, comm);
}

int MPIX_Reduce_scatter_init(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                             MPI_Info info, MPI_Request* request) {
    return persistent<reduce_scatter, PMPIX_Reduce_scatter_init>(info, request, in, out, counts, type, op, comm);
}

int MPIX_Reduce_scatter_block_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                   MPI_Info info, MPI_Request* request) {
    return persistent<reduce_scatter_block, PMPIX_Reduce_scatter_block_init>(info, request, in, out, count, type, op,
                                                                             comm);
}

int MPIX_Scan_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
    return persistent<scan, PMPIX_Scan_init>(info, request, in, out, count, type, op, comm);
}

int MPIX_Exscan_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                     MPI_Request* request) {
    return persistent<exscan, PMPIX_Exscan_init>(info, request, in, out, count, type, op, comm);
}

int MPIX_Alltoall_init(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                       MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<alltoall, PMPIX_Alltoall_init>(info, request, in, in_count, in_type, out, out_count, out_type,
                                                     comm);
}

int MPIX_Alltoallv_init(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type, void* out,
                        const int out_counts[], const int out_displs[], MPI_Datatype out_type, MPI_Comm comm,
                        MPI_Info info, MPI_Request* request) {
    return persistent<alltoallv, PMPIX_Alltoallv_init>(info, request, in, in_counts, in_displs, in_type, out,
                                                       out_counts, out_displs, out_type, comm);
}

int MPIX_Alltoallw_init(const void* in, const int in_counts[], const int in_displs[], const MPI_Datatype in_types[],
                        void* out, const int out_counts[], const int out_displs[], const MPI_Datatype out_types[],
                        MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent<alltoallw, PMPIX_Alltoallw_init>(info, request, in, in_counts, in_displs, in_types, out,
                                                       out_counts, out_displs, out_types, comm);
}

#endif
