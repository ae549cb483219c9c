#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

namespace collsched::preload {

/// The interposed functions; blocking, non-blocking and persistent forms alike.
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
inline constexpr int functions = 17;

/// "allreduce"; in capitals, behind COLLSCHED_, the variable that chooses its algorithm.
constexpr const char* name_of(function f) {
    constexpr const char* names[] = {
        "barrier",   "bcast",      "scatter",   "scatterv",  "gather",         "gatherv",
        "allgather", "allgatherv", "reduce",    "allreduce", "reduce_scatter", "reduce_scatter_block",
        "alltoall",  "alltoallv",  "alltoallw", "scan",      "exscan"};
    return names[static_cast<int>(f)];
}

/// Whether a rank knows its own counts alone.
constexpr bool knows_own_counts_alone(function f) {
    return f == function::scatterv || f == function::gatherv || f == function::alltoallv || f == function::alltoallw;
}
constexpr bool has_root(function f) {
    return f == function::bcast || f == function::scatter || f == function::scatterv || f == function::gather ||
           f == function::gatherv || f == function::reduce;
}
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

/// What a call says of one of its buffers: a count, or counts with or without displacements; a type, or types.
struct buffer_arguments {
    std::int64_t count = 0;
    integers counts{}, displs{};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const MPI_Datatype* types = nullptr;

    bool arrays() const { return counts.given() || types != nullptr; }
    bool operator==(const buffer_arguments&) const = default;
};

/// A call of a collective function. Of bcast, whose only buffer is `out`, and of reductions, `receive` has count and
/// type.
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
