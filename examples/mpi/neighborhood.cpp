#include <cstddef>
#include <vector>

#include "native_mpi.hpp"
#include "progress.hpp"

using namespace collsched::preload;

namespace {

/// Returns whether a rank may be its neighbor's neighbor on both sides: the grid has a periodic dimension of one or
/// two. The non-blocking alltoall of Open MPI 4.1.4 swaps the two blocks there, so the blocking one is called. The
/// result is the same on all ranks.
bool needs_blocking_alltoall([[maybe_unused]] MPI_Comm comm) {
#ifdef OPEN_MPI
    int kind = MPI_UNDEFINED, dimensions = 0;
    if (comm == MPI_COMM_NULL || PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind != MPI_CART) return false;
    PMPI_Cartdim_get(comm, &dimensions);
    std::vector<int> sizes(static_cast<std::size_t>(dimensions)), periods(sizes), own(sizes);
    PMPI_Cart_get(comm, dimensions, sizes.data(), periods.data(), own.data());
    for (std::size_t d = 0; d < sizes.size(); ++d)
        if (periods[d] != 0 && sizes[d] <= 2) return true;
#endif
    return false;
}

}  // namespace

// The blocking neighborhood collectives are begun in the MPI library's non-blocking form, so that operations in flight
// are driven meanwhile. MPI does not match blocking with non-blocking collectives, and operations in flight differ
// between ranks, so this form is always used.

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
    return native_or_driven<PMPI_Neighbor_alltoall, PMPI_Ineighbor_alltoall>(
        !mpi_is_up() || needs_blocking_alltoall(comm), in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Neighbor_alltoallv(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type,
                           void* out, const int out_counts[], const int out_displs[], MPI_Datatype out_type,
                           MPI_Comm comm) {
    return native_or_driven<PMPI_Neighbor_alltoallv, PMPI_Ineighbor_alltoallv>(
        !mpi_is_up() || needs_blocking_alltoall(comm), in, in_counts, in_displs, in_type, out, out_counts, out_displs,
        out_type, comm);
}

int MPI_Neighbor_alltoallw(const void* in, const int in_counts[], const MPI_Aint in_displs[],
                           const MPI_Datatype in_types[], void* out, const int out_counts[],
                           const MPI_Aint out_displs[], const MPI_Datatype out_types[], MPI_Comm comm) {
    return native_or_driven<PMPI_Neighbor_alltoallw, PMPI_Ineighbor_alltoallw>(
        !mpi_is_up() || needs_blocking_alltoall(comm), in, in_counts, in_displs, in_types, out, out_counts, out_displs,
        out_types, comm);
}

COLLSCHED_ALSO_PMPI(MPI_Neighbor_, , allgather, allgatherv, alltoall, alltoallv, alltoallw);
