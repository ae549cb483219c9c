#include "datatype.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "environment.hpp"

namespace collsched::preload {

namespace {

/// Returns the properties of a type from MPI, except its class.
datatype measure(MPI_Datatype type) {
    datatype found{.handle = type};
    MPI_Count size = 0, lower = 0, extent = 0, lowest = 0, reach = 0;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lower, &extent);
    PMPI_Type_get_true_extent_x(type, &lowest, &reach);
    found.size = size;
    found.extent = extent;
    found.lowest = lowest;
    found.reach = reach;
    return found;
}

void add(std::vector<datatype>& table, MPI_Datatype type, element_class what) {
    if (type == MPI_DATATYPE_NULL) return;  // an MPI library may lack a type
    datatype found = measure(type);
    found.what = what;
    found.dense = found.size == found.extent && found.lowest == 0;
    table.push_back(found);
}

std::vector<datatype> predefined_types() {
    std::vector<datatype> table;
    add(table, MPI_DOUBLE, element_class::floating);  // the most frequent types are first
    add(table, MPI_INT, element_class::integer);
    add(table, MPI_BYTE, element_class::byte);
    add(table, MPI_FLOAT, element_class::floating);
    add(table, MPI_LONG_DOUBLE, element_class::floating);
    for (const MPI_Datatype type : {MPI_LONG,
                                    MPI_SHORT,
                                    MPI_UNSIGNED_SHORT,
                                    MPI_UNSIGNED,
                                    MPI_UNSIGNED_LONG,
                                    MPI_LONG_LONG,
                                    MPI_UNSIGNED_LONG_LONG,
                                    MPI_SIGNED_CHAR,
                                    MPI_UNSIGNED_CHAR,
                                    MPI_INT8_T,
                                    MPI_INT16_T,
                                    MPI_INT32_T,
                                    MPI_INT64_T,
                                    MPI_UINT8_T,
                                    MPI_UINT16_T,
                                    MPI_UINT32_T,
                                    MPI_UINT64_T,
                                    MPI_AINT,
                                    MPI_OFFSET,
                                    MPI_COUNT})
        add(table, type, element_class::integer);
    for (const MPI_Datatype type : {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX})
        add(table, type, element_class::complex);
    for (const MPI_Datatype type :
         {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT})
        add(table, type, element_class::located);
    add(table, MPI_INTEGER, element_class::integer);
    for (const MPI_Datatype type : {MPI_REAL, MPI_DOUBLE_PRECISION}) add(table, type, element_class::floating);
    for (const MPI_Datatype type : {MPI_COMPLEX, MPI_DOUBLE_COMPLEX}) add(table, type, element_class::complex);
    for (const MPI_Datatype type : {MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION})
        add(table, type, element_class::located);
    for (const MPI_Datatype type : {MPI_C_BOOL, MPI_LOGICAL}) add(table, type, element_class::logical);
    add(table, MPI_CHAR, element_class::other);
    add(table, MPI_WCHAR, element_class::other);
    return table;
}

const datatype* predefined(MPI_Datatype type) {
    static const auto& table = *new std::vector<datatype>(predefined_types());  // never destroyed
    for (const datatype& one : table)
        if (one.handle == type) return &one;
    return nullptr;
}

/// Returns whether the type cannot be freed.
bool belongs_to_mpi(MPI_Datatype type) {
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_INTEGER || combiner == MPI_COMBINER_F90_COMPLEX;
}

/// Returns whether elements of a derived type have the same form in memory as packed: contiguous types at all levels.
bool is_dense(const datatype& type) {
    if (type.size != type.extent || type.lowest != 0 || type.reach != type.size) return false;
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    PMPI_Type_get_envelope(type.handle, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) return true;
    if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) return false;
    if (integers > 1 || addresses > 0 || types != 1) return false;
    int count = 0;
    MPI_Aint none = 0;
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    PMPI_Type_get_contents(type.handle, integers, 0, 1, &count, &none, &inner);
    if (predefined(inner) != nullptr) return predefined(inner)->dense;
    const bool dense = is_dense(measure(inner));
    if (!belongs_to_mpi(inner)) PMPI_Type_free(&inner);
    return dense;
}

/// Elements of which one is larger than this are beyond the range of MPI_Pack.
constexpr bytes_t most_at_once = bytes_t{1} << 30;

MPI_Datatype bytes_of(bytes_t size) {
    MPI_Datatype chunk, chunks, whole;
    PMPI_Type_contiguous(static_cast<int>(most_at_once), MPI_BYTE, &chunk);
    PMPI_Type_contiguous(static_cast<int>(size / most_at_once), chunk, &chunks);
    const int lengths[] = {1, static_cast<int>(size % most_at_once)};
    const MPI_Aint places[] = {0, static_cast<MPI_Aint>(size / most_at_once * most_at_once)};
    const MPI_Datatype types[] = {chunks, MPI_BYTE};
    PMPI_Type_create_struct(2, lengths, places, types, &whole);
    PMPI_Type_commit(&whole);
    PMPI_Type_free(&chunks);
    PMPI_Type_free(&chunk);
    return whole;
}

/// Returns whether elements cannot be packed: they are too large, or at MPI_BOTTOM, an address that MPICH's MPI_Pack
/// refuses.
bool needs_message(const void* elements, const datatype& type) {
    return elements == MPI_BOTTOM || type.size > most_at_once;
}

/// Calls f(bytes, number of them) with a type of the bytes of n elements.
template <class F>
int with_bytes(int n, const datatype& type, F f) {
    const bytes_t size = n * type.size;
    if (size <= most_at_once) return f(MPI_BYTE, static_cast<int>(size));
    MPI_Datatype bytes = bytes_of(size);
    const int error = f(bytes, 1);
    PMPI_Type_free(&bytes);
    return error;
}

/// Sends elements to this rank itself, where they have another type.
int send_to_self(const void* from, int count, MPI_Datatype from_type, void* into, int into_count,
                 MPI_Datatype into_type) {
    return PMPI_Sendrecv(from, count, from_type, 0, 0, into, into_count, into_type, 0, 0, the_environment().self,
                         MPI_STATUS_IGNORE);
}

/// Calls f(element, packed, count) for runs of elements whose count fits an int.
template <class Byte, class Element, class F>
int in_runs(Element* elements, Byte* packed, std::int64_t count, const datatype& type, F f) {
    const std::int64_t most = std::max<bytes_t>(1, most_at_once / std::max<bytes_t>(1, type.size));
    for (std::int64_t i = 0; i < count; i += most) {
        const int error =
            f(elements + i * type.extent, packed + i * type.size, static_cast<int>(std::min(most, count - i)));
        if (error != MPI_SUCCESS) return error;
    }
    return MPI_SUCCESS;
}

}  // namespace

datatype describe(MPI_Datatype type) {
    if (const datatype* known = predefined(type)) return *known;
    datatype found = measure(type);
    found.dense = is_dense(found);
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) found.what = element_class::other;
    return found;
}

int pack(const void* from, std::int64_t count, const datatype& type, std::byte* into) {
    if (count == 0 || type.size == 0) return MPI_SUCCESS;
    const auto* elements = static_cast<const std::byte*>(from);
    if (type.dense) {
        std::memcpy(into, elements, static_cast<std::size_t>(count * type.size));
        return MPI_SUCCESS;
    }
    return in_runs(elements, into, count, type, [&](const std::byte* at, std::byte* packed, int n) {
        if (needs_message(at, type))
            return with_bytes(n, type, [&](MPI_Datatype bytes, int pieces) {
                return send_to_self(at, n, type.handle, packed, pieces, bytes);
            });
        int position = 0;
        const int room = static_cast<int>(n * type.size);
        return PMPI_Pack(at, n, type.handle, packed, room, &position, the_environment().self);
    });
}

int unpack(const std::byte* from, void* into, std::int64_t count, const datatype& type) {
    if (count == 0 || type.size == 0) return MPI_SUCCESS;
    auto* elements = static_cast<std::byte*>(into);
    if (type.dense) {
        std::memcpy(elements, from, static_cast<std::size_t>(count * type.size));
        return MPI_SUCCESS;
    }
    return in_runs(elements, from, count, type, [&](std::byte* at, const std::byte* packed, int n) {
        if (needs_message(at, type))
            return with_bytes(n, type, [&](MPI_Datatype bytes, int pieces) {
                return send_to_self(packed, pieces, bytes, at, n, type.handle);
            });
        int position = 0;
        const int there = static_cast<int>(n * type.size);
        return PMPI_Unpack(packed, there, &position, at, n, type.handle, the_environment().self);
    });
}

namespace {

enum class operator_class : std::uint8_t { sum, order, logical, bitwise, location, of_program };

operator_class class_of(MPI_Op op) {
    if (op == MPI_SUM || op == MPI_PROD) return operator_class::sum;
    if (op == MPI_MAX || op == MPI_MIN) return operator_class::order;
    if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) return operator_class::logical;
    if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) return operator_class::bitwise;
    if (op == MPI_MAXLOC || op == MPI_MINLOC) return operator_class::location;
    return operator_class::of_program;
}

}  // namespace

namespace {

/// Returns whether the MPI library accepts a predefined operator on a predefined type, by one call on one rank for each
/// pair. The libraries accept more pairs than the standard requires.
bool is_accepted(MPI_Op op, MPI_Datatype type) {
    static auto& known = *new std::map<std::pair<MPI_Op, MPI_Datatype>, bool>;  // never destroyed
    const guard hold;
    const auto [at, is_new] = known.try_emplace({op, type}, false);
    if (is_new) {
        alignas(std::max_align_t) std::byte one[64] = {}, other[64] = {};
        at->second = PMPI_Allreduce(one, other, 1, type, op, the_environment().self) == MPI_SUCCESS;
    }
    return at->second;
}

}  // namespace

bool combines(MPI_Op op, const datatype& type) {
    if (op == MPI_REPLACE || op == MPI_NO_OP) return false;
    if (class_of(op) == operator_class::of_program) return true;
    return type.what != element_class::derived && is_accepted(op, type.handle);
}

bool is_committed(MPI_Datatype type) {
    if (type == MPI_DATATYPE_NULL) return false;
    if (predefined(type) != nullptr) return true;
    char nothing = 0;
    int position = 0;
    return PMPI_Pack(&nothing, 0, type, &nothing, 1, &position, the_environment().self) == MPI_SUCCESS;
}

bool lasting_type(MPI_Datatype type) { return type == MPI_DATATYPE_NULL || predefined(type) != nullptr; }

bool lasting_op(MPI_Op op) { return op == MPI_OP_NULL || class_of(op) != operator_class::of_program; }

bool commutative(MPI_Op op) {
    if (class_of(op) != operator_class::of_program) return true;
    int commutes = 0;
    PMPI_Op_commutative(op, &commutes);
    return commutes != 0;
}

bool symmetric(MPI_Op op, const datatype& type) {
    switch (class_of(op)) {
        case operator_class::sum: return type.what != element_class::complex;
        case operator_class::order: return type.what == element_class::integer;
        case operator_class::logical:
        case operator_class::bitwise: return true;
        case operator_class::location:
        case operator_class::of_program: return false;
    }
    return false;
}

}  // namespace collsched::preload
