#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "collsched/core/byte_range.hpp"

namespace collsched::preload {

/// What predefined operators make of a predefined type.
enum class element_class : std::uint8_t { derived, integer, floating, complex, logical, byte, located, other };

/// A datatype as this library needs to know it.
struct datatype {
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    bytes_t size = 0;    ///< packed
    bytes_t extent = 0;  ///< from one element to the next
    bytes_t lowest = 0;  ///< of an element's bytes, as seen from its address: the true lower bound
    bytes_t reach = 0;   ///< from there to behind its last byte: the true extent
    bool dense = false;  ///< elements lie in memory as they are packed
    element_class what = element_class::derived;

    /// Memory from the first to behind the last byte of so many elements.
    bytes_t span_of(std::int64_t count) const { return count == 0 ? 0 : (count - 1) * extent + reach; }
};

/// Predefined types are looked up, others asked for. A type that is not predefined, a contiguous one of such, or a
/// duplicate is never called dense.
datatype describe(MPI_Datatype type);

/// From the elements at `from` to count * size bytes at `into`, and back. Any number of bytes. An error of MPI's, or 0.
int pack(const void* from, std::int64_t count, const datatype& type, std::byte* into);
int unpack(const std::byte* from, void* into, std::int64_t count, const datatype& type);

/// Whether MPI has a meaning for this predefined operator on this type. Of operators of the program: always.
bool combines(MPI_Op op, const datatype& type);

/// Whether it may be used in a call. Not of a type that is null, or not committed.
bool is_committed(MPI_Datatype type);

/// Of MPI's own, or null. They last as long as the program.
bool lasting_type(MPI_Datatype type);
bool lasting_op(MPI_Op op);

/// As MPI says.
bool commutative(MPI_Op op);

/// A predefined operator that gives the same bits whichever operand comes first.
bool symmetric(MPI_Op op, const datatype& type);

}  // namespace collsched::preload
