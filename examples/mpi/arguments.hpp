#pragma once

#include <cstdint>
#include <cstring>

#include "native_mpi.hpp"

namespace collsched::preload {

/// The interposed functions, in blocking, non-blocking and persistent form.
enum class function : std::uint8_t {
    barrier,
    bcast,
    scatter,
    scatterv,
    gather,
    gatherv,
    allgather,
    allgatherv,
    reduce,
    allreduce,
    reduce_scatter,
    reduce_scatter_block,
    alltoall,
    alltoallv,
    alltoallw,
    scan,
    exscan,
};
/// The number of interposed functions.
inline constexpr int functions = 17;

/// Returns the name, such as "allreduce". In capitals, behind COLLSCHED_, it is the variable that selects the
/// algorithm.
constexpr const char* name_of(function f) {
    constexpr const char* names[] = {
        "barrier",   "bcast",      "scatter",   "scatterv",  "gather",         "gatherv",
        "allgather", "allgatherv", "reduce",    "allreduce", "reduce_scatter", "reduce_scatter_block",
        "alltoall",  "alltoallv",  "alltoallw", "scan",      "exscan"};
    return names[static_cast<int>(f)];
}

/// Returns whether a rank has only its own counts as arguments.
constexpr bool knows_own_counts_alone(function f) {
    return f == function::scatterv || f == function::gatherv || f == function::alltoallv || f == function::alltoallw;
}
/// Returns whether the function has a root.
constexpr bool has_root(function f) {
    return f == function::bcast || f == function::scatter || f == function::scatterv || f == function::gather ||
           f == function::gatherv || f == function::reduce;
}
/// Returns whether the function combines operands.
constexpr bool combines(function f) {
    return f == function::reduce || f == function::allreduce || f == function::reduce_scatter ||
           f == function::reduce_scatter_block || f == function::scan || f == function::exscan;
}

/// An array of the program, of int or of the wide integers (MPI_Count, MPI_Aint) of MPI-4.
class integers {
  public:
    integers() = default;
    integers(const int* narrow) : at_(narrow), wide_(false) {}
    integers(const long* wide) : at_(wide), wide_(true) {}
    integers(const long long* wide) : at_(wide), wide_(true) {}

    std::int64_t operator[](int i) const { return wide_ ? element<std::int64_t>(i) : element<int>(i); }
    bool given() const { return at_ != nullptr; }
    bool operator==(const integers&) const = default;

  private:
    static_assert(sizeof(long) == sizeof(std::int64_t) && sizeof(long long) == sizeof(std::int64_t));

    template <class Integer>
    Integer element(int i) const {
        Integer value;
        std::memcpy(&value, static_cast<const Integer*>(at_) + i, sizeof value);
        return value;
    }

    const void* at_ = nullptr;
    bool wide_ = false;
};

/// The arguments of a call for one of its buffers: a count, or counts with or without displacements; a type, or types.
struct buffer_arguments {
    std::int64_t count = 0;
    integers counts{}, displs{};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const MPI_Datatype* types = nullptr;

    bool arrays() const { return counts.given() || types != nullptr; }
    bool operator==(const buffer_arguments&) const = default;
};

/// The arguments of a collective function. bcast has the single buffer `out`. For bcast and reductions, `receive` has
/// the count and the type.
struct arguments {
    function what = function::barrier;
    MPI_Comm comm = MPI_COMM_NULL;
    int root = 0;
    MPI_Op op = MPI_OP_NULL;
    const void* in = nullptr;
    void* out = nullptr;
    buffer_arguments send{}, receive{};

    bool in_place() const { return in == MPI_IN_PLACE; }
    bool operator==(const arguments&) const = default;
};

}  // namespace collsched::preload
