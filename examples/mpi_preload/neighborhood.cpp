#include <mpi.h>

#include "progress.hpp"

using namespace collsched::preload;

// The blocking collectives of neighborhoods are the MPI's own, begun without blocking, so that what is in flight is
// driven meanwhile. MPI does not match a blocking collective with a non-blocking one, and what is in flight differs from
// rank to rank: so always.

int MPI_Neighbor_allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                           MPI_Datatype out_type, MPI_Comm comm) {
    return native_or_driven<PMPI_Neighbor_allgather, PMPI_Ineighbor_allgather>(!mpi_is_up(), in, in_count, in_type, out,
                                                                               out_count, out_type, comm);
}

int MPI_Neighbor_allgatherv(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                            const int displs[], MPI_Datatype out_type, MPI_Comm comm) {
    return native_or_driven<PMPI_Neighbor_allgatherv, PMPI_Ineighbor_allgatherv>(
        !mpi_is_up(), in, in_count, in_type, out, out_counts, displs, out_type, comm);
}

int MPI_Neighbor_alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                          MPI_Datatype out_type, MPI_Comm comm) {
    return native_or_driven<PMPI_Neighbor_alltoall, PMPI_Ineighbor_alltoall>(!mpi_is_up(), in, in_count, in_type, out,
                                                                             out_count, out_type, comm);
}

int MPI_Neighbor_alltoallv(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type,
                           void* out, const int out_counts[], const int out_displs[], MPI_Datatype out_type,
                           MPI_Comm comm) {
    return native_or_driven<PMPI_Neighbor_alltoallv, PMPI_Ineighbor_alltoallv>(
        !mpi_is_up(), in, in_counts, in_displs, in_type, out, out_counts, out_displs, out_type, comm);
}

int MPI_Neighbor_alltoallw(const void* in, const int in_counts[], const MPI_Aint in_displs[],
                           const MPI_Datatype in_types[], void* out, const int out_counts[],
                           const MPI_Aint out_displs[], const MPI_Datatype out_types[], MPI_Comm comm) {
    return native_or_driven<PMPI_Neighbor_alltoallw, PMPI_Ineighbor_alltoallw>(
        !mpi_is_up(), in, in_counts, in_displs, in_types, out, out_counts, out_displs, out_types, comm);
}
