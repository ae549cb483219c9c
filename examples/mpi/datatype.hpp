#pragma once

#include <cstddef>
#include <cstdint>

#include "native_mpi.hpp"

#include "collsched/core/byte_range.hpp"

namespace collsched::preload {

/// The class of a predefined type with respect to predefined operators.
enum class element_class : std::uint8_t { derived, integer, floating, complex, logical, byte, located, other };

/// The properties of a datatype that this library uses.
struct datatype {
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    bytes_t size = 0;    ///< packed
    bytes_t extent = 0;  ///< from one element to the next
    bytes_t lowest = 0;  ///< offset of an element's first byte from its address: the true lower bound
    bytes_t reach = 0;   ///< bytes from there to the end of the last byte: the true extent
    bool dense = false;  ///< elements have the same form in memory as packed
    element_class what = element_class::derived;

    /// Returns the bytes from the first to the last byte of `count` elements.
    bytes_t span_of(std::int64_t count) const { return count == 0 ? 0 : (count - 1) * extent + reach; }
};

/// Returns the description of a type. Predefined types are looked up; others are queried from MPI. Only predefined
/// types, contiguous types of them, and duplicates can be dense.
datatype describe(MPI_Datatype type);

/// Packs the elements at `from` into count * size bytes at `into`. Any number of bytes. Returns an MPI error, or 0.
int pack(const void* from, std::int64_t count, const datatype& type, std::byte* into);
/// Unpacks count * size bytes at `from` into the elements at `into`. Returns an MPI error, or 0.
int unpack(const std::byte* from, void* into, std::int64_t count, const datatype& type);

/// Returns whether the MPI library accepts this predefined operator for this type; true for operators of the program.
bool combines(MPI_Op op, const datatype& type);

/// Returns whether the type may be used in a call: it is not null, and it is committed.
bool is_committed(MPI_Datatype type);

/// Returns whether the type is predefined or null. Such types exist as long as the program.
bool lasting_type(MPI_Datatype type);
/// Returns whether the operator is predefined or null.
bool lasting_op(MPI_Op op);

/// Returns whether the operator is commutative, according to MPI.
bool commutative(MPI_Op op);

/// Returns whether the operator is predefined and gives the same bits for both orders of operands.
bool symmetric(MPI_Op op, const datatype& type);

}  // namespace collsched::preload
