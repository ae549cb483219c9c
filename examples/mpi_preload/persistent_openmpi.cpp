#include <mpi.h>

// Open MPI 4 has them as extensions.
#if defined(OPEN_MPI) && MPI_VERSION < 4

#include <mpi-ext.h>

#include "calls.hpp"

using namespace collsched::preload;

int MPIX_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::barrier, .comm = comm}, request,
                      [&] { return PMPIX_Barrier_init(comm, info, request); });
}

int MPIX_Bcast_init(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                    MPI_Request* request) {
    return persistent(
        {.what = function::bcast, .comm = comm, .root = root, .out = buffer, .receive = {.count = count, .type = type}},
        request, [&] { return PMPIX_Bcast_init(buffer, count, type, root, comm, info, request); });
}

int MPIX_Scatter_init(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                      MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent(
        {.what = function::scatter,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request,
        [&] { return PMPIX_Scatter_init(in, in_count, in_type, out, out_count, out_type, root, comm, info, request); });
}

int MPIX_Scatterv_init(const void* in, const int in_counts[], const int displs[], MPI_Datatype in_type, void* out,
                       int out_count, MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info,
                       MPI_Request* request) {
    return persistent({.what = function::scatterv,
                       .comm = comm,
                       .root = root,
                       .in = in,
                       .out = out,
                       .send = {.counts = in_counts, .displs = displs, .type = in_type},
                       .receive = {.count = out_count, .type = out_type}},
                      request, [&] {
                          return PMPIX_Scatterv_init(in, in_counts, displs, in_type, out, out_count, out_type, root,
                                                     comm, info, request);
                      });
}

int MPIX_Gather_init(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                     MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent(
        {.what = function::gather,
         .comm = comm,
         .root = root,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request,
        [&] { return PMPIX_Gather_init(in, in_count, in_type, out, out_count, out_type, root, comm, info, request); });
}

int MPIX_Gatherv_init(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                      const int displs[], MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info,
                      MPI_Request* request) {
    return persistent({.what = function::gatherv,
                       .comm = comm,
                       .root = root,
                       .in = in,
                       .out = out,
                       .send = {.count = in_count, .type = in_type},
                       .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
                      request, [&] {
                          return PMPIX_Gatherv_init(in, in_count, in_type, out, out_counts, displs, out_type, root,
                                                    comm, info, request);
                      });
}

int MPIX_Allgather_init(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                        MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent(
        {.what = function::allgather,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request,
        [&] { return PMPIX_Allgather_init(in, in_count, in_type, out, out_count, out_type, comm, info, request); });
}

int MPIX_Allgatherv_init(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                         const int displs[], MPI_Datatype out_type, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request) {
    return persistent({.what = function::allgatherv,
                       .comm = comm,
                       .in = in,
                       .out = out,
                       .send = {.count = in_count, .type = in_type},
                       .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
                      request, [&] {
                          return PMPIX_Allgatherv_init(in, in_count, in_type, out, out_counts, displs, out_type, comm,
                                                       info, request);
                      });
}

int MPIX_Reduce_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                     MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::reduce,
                       .comm = comm,
                       .root = root,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request, [&] { return PMPIX_Reduce_init(in, out, count, type, op, root, comm, info, request); });
}

int MPIX_Allreduce_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::allreduce,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request, [&] { return PMPIX_Allreduce_init(in, out, count, type, op, comm, info, request); });
}

int MPIX_Reduce_scatter_init(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                             MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::reduce_scatter,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.counts = counts, .type = type}},
                      request,
                      [&] { return PMPIX_Reduce_scatter_init(in, out, counts, type, op, comm, info, request); });
}

int MPIX_Reduce_scatter_block_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                   MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::reduce_scatter_block,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request,
                      [&] { return PMPIX_Reduce_scatter_block_init(in, out, count, type, op, comm, info, request); });
}

int MPIX_Scan_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
    return persistent({.what = function::scan,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request, [&] { return PMPIX_Scan_init(in, out, count, type, op, comm, info, request); });
}

int MPIX_Exscan_init(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                     MPI_Request* request) {
    return persistent({.what = function::exscan,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request, [&] { return PMPIX_Exscan_init(in, out, count, type, op, comm, info, request); });
}

int MPIX_Alltoall_init(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                       MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent(
        {.what = function::alltoall,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request,
        [&] { return PMPIX_Alltoall_init(in, in_count, in_type, out, out_count, out_type, comm, info, request); });
}

int MPIX_Alltoallv_init(const void* in, const int in_counts[], const int in_displs[], MPI_Datatype in_type, void* out,
                        const int out_counts[], const int out_displs[], MPI_Datatype out_type, MPI_Comm comm,
                        MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::alltoallv,
                       .comm = comm,
                       .in = in,
                       .out = out,
                       .send = {.counts = in_counts, .displs = in_displs, .type = in_type},
                       .receive = {.counts = out_counts, .displs = out_displs, .type = out_type}},
                      request, [&] {
                          return PMPIX_Alltoallv_init(in, in_counts, in_displs, in_type, out, out_counts, out_displs,
                                                      out_type, comm, info, request);
                      });
}

int MPIX_Alltoallw_init(const void* in, const int in_counts[], const int in_displs[], const MPI_Datatype in_types[],
                        void* out, const int out_counts[], const int out_displs[], const MPI_Datatype out_types[],
                        MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::alltoallw,
                       .comm = comm,
                       .in = in,
                       .out = out,
                       .send = {.counts = in_counts, .displs = in_displs, .types = in_types},
                       .receive = {.counts = out_counts, .displs = out_displs, .types = out_types}},
                      request, [&] {
                          return PMPIX_Alltoallw_init(in, in_counts, in_displs, in_types, out, out_counts, out_displs,
                                                      out_types, comm, info, request);
                      });
}

#endif
