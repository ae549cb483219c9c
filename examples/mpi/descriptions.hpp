#pragma once

#include "arguments.hpp"

namespace collsched::preload {

/// arguments_of(what, ...) returns the description of a call of MPI's function of that name, whose arguments follow in
/// MPI's order, up to the communicator. There is one overload for each list of arguments of MPI; all accept the wide
/// integers of MPI-4.

/// barrier
inline arguments arguments_of(function what, MPI_Comm comm) { return {.what = what, .comm = comm}; }

/// bcast
inline arguments arguments_of(function what, void* buffer, std::int64_t count, MPI_Datatype type, int root,
                              MPI_Comm comm) {
    return {.what = what, .comm = comm, .root = root, .out = buffer, .receive = {.count = count, .type = type}};
}

/// scatter, gather
inline arguments arguments_of(function what, const void* in, std::int64_t in_count, MPI_Datatype in_type, void* out,
                              std::int64_t out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    return {.what = what,
            .comm = comm,
            .root = root,
            .in = in,
            .out = out,
            .send = {.count = in_count, .type = in_type},
            .receive = {.count = out_count, .type = out_type}};
}

/// scatterv
inline arguments arguments_of(function what, const void* in, integers in_counts, integers displs, MPI_Datatype in_type,
                              void* out, std::int64_t out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    return {.what = what,
            .comm = comm,
            .root = root,
            .in = in,
            .out = out,
            .send = {.counts = in_counts, .displs = displs, .type = in_type},
            .receive = {.count = out_count, .type = out_type}};
}

/// gatherv
inline arguments arguments_of(function what, const void* in, std::int64_t in_count, MPI_Datatype in_type, void* out,
                              integers out_counts, integers displs, MPI_Datatype out_type, int root, MPI_Comm comm) {
    return {.what = what,
            .comm = comm,
            .root = root,
            .in = in,
            .out = out,
            .send = {.count = in_count, .type = in_type},
            .receive = {.counts = out_counts, .displs = displs, .type = out_type}};
}

/// allgather, alltoall
inline arguments arguments_of(function what, const void* in, std::int64_t in_count, MPI_Datatype in_type, void* out,
                              std::int64_t out_count, MPI_Datatype out_type, MPI_Comm comm) {
    return {.what = what,
            .comm = comm,
            .in = in,
            .out = out,
            .send = {.count = in_count, .type = in_type},
            .receive = {.count = out_count, .type = out_type}};
}

/// allgatherv
inline arguments arguments_of(function what, const void* in, std::int64_t in_count, MPI_Datatype in_type, void* out,
                              integers out_counts, integers displs, MPI_Datatype out_type, MPI_Comm comm) {
    return {.what = what,
            .comm = comm,
            .in = in,
            .out = out,
            .send = {.count = in_count, .type = in_type},
            .receive = {.counts = out_counts, .displs = displs, .type = out_type}};
}

/// reduce
inline arguments arguments_of(function what, const void* in, void* out, std::int64_t count, MPI_Datatype type,
                              MPI_Op op, int root, MPI_Comm comm) {
    return {.what = what,
            .comm = comm,
            .root = root,
            .op = op,
            .in = in,
            .out = out,
            .receive = {.count = count, .type = type}};
}

/// allreduce, reduce_scatter_block, scan, exscan
inline arguments arguments_of(function what, const void* in, void* out, std::int64_t count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm) {
    return {.what = what, .comm = comm, .op = op, .in = in, .out = out, .receive = {.count = count, .type = type}};
}

/// reduce_scatter
inline arguments arguments_of(function what, const void* in, void* out, integers counts, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm) {
    return {.what = what, .comm = comm, .op = op, .in = in, .out = out, .receive = {.counts = counts, .type = type}};
}

/// alltoallv
inline arguments arguments_of(function what, const void* in, integers in_counts, integers in_displs,
                              MPI_Datatype in_type, void* out, integers out_counts, integers out_displs,
                              MPI_Datatype out_type, MPI_Comm comm) {
    return {.what = what,
            .comm = comm,
            .in = in,
            .out = out,
            .send = {.counts = in_counts, .displs = in_displs, .type = in_type},
            .receive = {.counts = out_counts, .displs = out_displs, .type = out_type}};
}

/// alltoallw
inline arguments arguments_of(function what, const void* in, integers in_counts, integers in_displs,
                              const MPI_Datatype* in_types, void* out, integers out_counts, integers out_displs,
                              const MPI_Datatype* out_types, MPI_Comm comm) {
    return {.what = what,
            .comm = comm,
            .in = in,
            .out = out,
            .send = {.counts = in_counts, .displs = in_displs, .types = in_types},
            .receive = {.counts = out_counts, .displs = out_displs, .types = out_types}};
}

}  // namespace collsched::preload
