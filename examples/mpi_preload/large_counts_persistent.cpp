#include "calls.hpp"

using namespace collsched::preload;

// The forms with wide integers, of MPI-4.
#if MPI_VERSION >= 4

int MPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request* request) {
    return persistent(
        {.what = function::bcast, .comm = comm, .root = root, .out = buffer, .receive = {.count = count, .type = type}},
        request, [&] { return PMPI_Bcast_init_c(buffer, count, type, root, comm, info, request); });
}

int MPI_Scatter_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                       MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::scatter,
                       .comm = comm,
                       .root = root,
                       .in = in,
                       .out = out,
                       .send = {.count = in_count, .type = in_type},
                       .receive = {.count = out_count, .type = out_type}},
                      request, [&] {
                          return PMPI_Scatter_init_c(in, in_count, in_type, out, out_count, out_type, root, comm, info,
                                                     request);
                      });
}

int MPI_Scatterv_init_c(const void* in, const MPI_Count in_counts[], const MPI_Aint displs[], MPI_Datatype in_type,
                        void* out, MPI_Count out_count, MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Info info,
                        MPI_Request* request) {
    return persistent({.what = function::scatterv,
                       .comm = comm,
                       .root = root,
                       .in = in,
                       .out = out,
                       .send = {.counts = in_counts, .displs = displs, .type = in_type},
                       .receive = {.count = out_count, .type = out_type}},
                      request, [&] {
                          return PMPI_Scatterv_init_c(in, in_counts, displs, in_type, out, out_count, out_type, root,
                                                      comm, info, request);
                      });
}

int MPI_Gather_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
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
        [&] { return PMPI_Gather_init_c(in, in_count, in_type, out, out_count, out_type, root, comm, info, request); });
}

int MPI_Gatherv_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
                       const MPI_Count out_counts[], const MPI_Aint displs[], MPI_Datatype out_type, int root,
                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::gatherv,
                       .comm = comm,
                       .root = root,
                       .in = in,
                       .out = out,
                       .send = {.count = in_count, .type = in_type},
                       .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
                      request, [&] {
                          return PMPI_Gatherv_init_c(in, in_count, in_type, out, out_counts, displs, out_type, root,
                                                     comm, info, request);
                      });
}

int MPI_Allgather_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                         MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent(
        {.what = function::allgather,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request,
        [&] { return PMPI_Allgather_init_c(in, in_count, in_type, out, out_count, out_type, comm, info, request); });
}

int MPI_Allgatherv_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
                          const MPI_Count out_counts[], const MPI_Aint displs[], MPI_Datatype out_type, MPI_Comm comm,
                          MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::allgatherv,
                       .comm = comm,
                       .in = in,
                       .out = out,
                       .send = {.count = in_count, .type = in_type},
                       .receive = {.counts = out_counts, .displs = displs, .type = out_type}},
                      request, [&] {
                          return PMPI_Allgatherv_init_c(in, in_count, in_type, out, out_counts, displs, out_type, comm,
                                                        info, request);
                      });
}

int MPI_Reduce_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                      MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::reduce,
                       .comm = comm,
                       .root = root,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request, [&] { return PMPI_Reduce_init_c(in, out, count, type, op, root, comm, info, request); });
}

int MPI_Allreduce_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                         MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::allreduce,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request, [&] { return PMPI_Allreduce_init_c(in, out, count, type, op, comm, info, request); });
}

int MPI_Reduce_scatter_init_c(const void* in, void* out, const MPI_Count counts[], MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::reduce_scatter,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.counts = counts, .type = type}},
                      request,
                      [&] { return PMPI_Reduce_scatter_init_c(in, out, counts, type, op, comm, info, request); });
}

int MPI_Reduce_scatter_block_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op,
                                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::reduce_scatter_block,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request,
                      [&] { return PMPI_Reduce_scatter_block_init_c(in, out, count, type, op, comm, info, request); });
}

int MPI_Scan_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::scan,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request, [&] { return PMPI_Scan_init_c(in, out, count, type, op, comm, info, request); });
}

int MPI_Exscan_init_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                      MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::exscan,
                       .comm = comm,
                       .op = op,
                       .in = in,
                       .out = out,
                       .receive = {.count = count, .type = type}},
                      request, [&] { return PMPI_Exscan_init_c(in, out, count, type, op, comm, info, request); });
}

int MPI_Alltoall_init_c(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out, MPI_Count out_count,
                        MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent(
        {.what = function::alltoall,
         .comm = comm,
         .in = in,
         .out = out,
         .send = {.count = in_count, .type = in_type},
         .receive = {.count = out_count, .type = out_type}},
        request,
        [&] { return PMPI_Alltoall_init_c(in, in_count, in_type, out, out_count, out_type, comm, info, request); });
}

int MPI_Alltoallv_init_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[], MPI_Datatype in_type,
                         void* out, const MPI_Count out_counts[], const MPI_Aint out_displs[], MPI_Datatype out_type,
                         MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    return persistent({.what = function::alltoallv,
                       .comm = comm,
                       .in = in,
                       .out = out,
                       .send = {.counts = in_counts, .displs = in_displs, .type = in_type},
                       .receive = {.counts = out_counts, .displs = out_displs, .type = out_type}},
                      request, [&] {
                          return PMPI_Alltoallv_init_c(in, in_counts, in_displs, in_type, out, out_counts, out_displs,
                                                       out_type, comm, info, request);
                      });
}

int MPI_Alltoallw_init_c(const void* in, const MPI_Count in_counts[], const MPI_Aint in_displs[],
                         const MPI_Datatype in_types[], void* out, const MPI_Count out_counts[],
                         const MPI_Aint out_displs[], const MPI_Datatype out_types[], MPI_Comm comm, MPI_Info info,
                         MPI_Request* request) {
    return persistent({.what = function::alltoallw,
                       .comm = comm,
                       .in = in,
                       .out = out,
                       .send = {.counts = in_counts, .displs = in_displs, .types = in_types},
                       .receive = {.counts = out_counts, .displs = out_displs, .types = out_types}},
                      request, [&] {
                          return PMPI_Alltoallw_init_c(in, in_counts, in_displs, in_types, out, out_counts, out_displs,
                                                       out_types, comm, info, request);
                      });
}

#endif
