#include <algorithm>
#include <cstring>

#include "work.hpp"

namespace collsched::preload {

namespace {

// Arguments that Open MPI and MPICH treat differently.
#ifdef OPEN_MPI
constexpr bool takes_null_types = false;
#else
constexpr bool takes_null_types = true;  ///< in an array, beside a count of 0
#endif

/// The buffers that are significant on this rank.
struct significance {
    bool in = true, out = true;
};

significance significant(const arguments& call, bool is_root) {
    switch (call.what) {
        case function::barrier: return {false, false};
        case function::bcast: return {false, true};
        case function::scatter:
        case function::scatterv: return {is_root, true};
        case function::gather:
        case function::gatherv:
        case function::reduce: return {true, is_root};
        default: return {true, true};
    }
}

bool may_have_in_place(const arguments& call, bool is_root) {
    switch (call.what) {
        case function::barrier:
        case function::bcast:
        case function::scatter:
        case function::scatterv: return false;
        case function::gather:
        case function::gatherv:
        case function::reduce: return is_root;
        default: return true;
    }
}

/// Returns whether the counts of a buffer are valid; with arrays, every entry.
bool has_good_counts(const buffer_arguments& part, int ranks, bool arrays, bool displacements, bool types) {
    if (!arrays) return part.count >= 0 && is_committed(part.type);
    if (!part.counts.given() || (displacements && !part.displs.given())) return false;
    if (types ? part.types == nullptr : !is_committed(part.type)) return false;
    for (int i = 0; i < ranks; ++i) {
        if (part.counts[i] < 0) return false;
        if (!types || is_committed(part.types[i])) continue;
        if (!takes_null_types || part.types[i] != MPI_DATATYPE_NULL || part.counts[i] > 0) return false;
    }
    return true;
}

bool has_elements(const buffer_arguments& part, int ranks, bool arrays) {
    if (!arrays) return part.count > 0;
    for (int i = 0; i < ranks; ++i)
        if (part.counts[i] > 0) return true;
    return false;
}

/// A null address is valid only together with a type of absolute addresses.
bool has_memory(const void* buffer, const buffer_arguments& part, int ranks, bool arrays) {
    if (buffer != nullptr || !has_elements(part, ranks, arrays)) return true;
    return part.types != nullptr || describe(part.type).what == element_class::derived;
}

bool good_reduction(const arguments& call) {
    return call.op != MPI_OP_NULL && call.receive.type != MPI_DATATYPE_NULL &&
           combines(call.op, describe(call.receive.type));
}

// Whether the MPI refuses the addresses of input and output. A call that it accepts must not be among these: it would
// wait in the MPI for ranks with other addresses, whose calls this library executes. It reads the input first (work.cpp).
#ifdef OPEN_MPI
bool refuses_addresses(const arguments& call, int) { return call.what == function::reduce && call.in == call.out; }
#else
/// Returns the address of a rank's own block that MPICH compares, which takes elements to have no gaps.
const void* address_of_own_block(const void* buffer, const buffer_arguments& part, int rank) {
    const std::int64_t elements = part.displs.given() ? part.displs[rank] : rank * part.count;
    return static_cast<const std::byte*>(buffer) + elements * describe(part.type).size;
}

/// Returns whether MPICH compares the address of the rank's own block with that of the buffer for one block.
bool compares_own_block(const buffer_arguments& one, const buffer_arguments& all, int rank) {
    if (one.type != all.type) return false;
    return all.counts.given() ? all.counts[rank] > 0 : one.count == all.count;
}

bool refuses_addresses(const arguments& call, int rank) {
    const buffer_arguments &send = call.send, &receive = call.receive;
    switch (call.what) {
        case function::gather:
        case function::gatherv:
        case function::allgather:
        case function::allgatherv:
            return compares_own_block(send, receive, rank) && call.in == address_of_own_block(call.out, receive, rank);
        case function::scatter:
        case function::scatterv:
            return compares_own_block(receive, send, rank) && call.out == address_of_own_block(call.in, send, rank);
        case function::alltoall:
        case function::alltoallv:
        case function::alltoallw:  // arrays are compared by their addresses
            return call.in == call.out && send.type == receive.type && send.types == receive.types &&
                   send.count == receive.count && send.counts == receive.counts;
        default: return call.in == call.out;
    }
}
#endif

}  // namespace

namespace {

/// Calls f(part) for each of the two buffers that has arrays and is significant on this rank. Returns whether all calls
/// have returned true.
template <class F>
bool all_arrays_of(const arguments& call, int rank, F f) {
    significance means = significant(call, call.root == rank);
    if (combines(call.what)) means = {false, true};
    const bool in = means.in && !call.in_place() && call.send.arrays();
    const bool out = means.out && call.out != MPI_IN_PLACE && call.receive.arrays();
    return (!in || f(call.send)) && (!out || f(call.receive));
}

/// Calls f(number) for each entry of the arrays until it returns false. Returns whether all calls have returned true.
template <class F>
bool all_entries(const buffer_arguments& part, int ranks, F f) {
    for (int i = 0; i < ranks; ++i) {
        std::int64_t type = 0;
        if (part.types != nullptr) std::memcpy(&type, &part.types[i], sizeof part.types[i]);
        if (part.types != nullptr && !f(type)) return false;
        if (part.counts.given() && !f(part.counts[i])) return false;
        if (part.displs.given() && !f(part.displs[i])) return false;
    }
    return true;
}

}  // namespace

bool says_all(const arguments& call, int rank, int ranks) {
    if (!lasting_type(call.send.type) || !lasting_type(call.receive.type) || !lasting_op(call.op)) return false;
    return all_arrays_of(call, rank, [&](const buffer_arguments& part) {
        return part.types == nullptr || std::all_of(part.types, part.types + ranks, lasting_type);
    });
}

void copy_arrays(const arguments& call, int rank, int ranks, std::vector<std::int64_t>& entries) {
    entries.clear();
    all_arrays_of(call, rank, [&](const buffer_arguments& part) {
        return all_entries(part, ranks, [&](std::int64_t entry) { return entries.push_back(entry), true; });
    });
}

bool has_arrays(const arguments& call, int rank, int ranks, const std::vector<std::int64_t>& entries) {
    auto next = entries.begin();
    return all_arrays_of(call, rank, [&](const buffer_arguments& part) {
        return all_entries(part, ranks, [&](std::int64_t entry) { return next != entries.end() && *next++ == entry; });
    });
}

bool acceptable(const arguments& call, int rank, int ranks) {
    const function what = call.what;
    if (has_root(what) && (call.root < 0 || call.root >= ranks)) return false;
    const bool is_root = call.root == rank;
    significance means = significant(call, is_root);
    if (call.in_place() && means.in) {
        if (!may_have_in_place(call, is_root)) return false;
        means.in = false;
    }
    const bool scatters = what == function::scatter || what == function::scatterv;
    if (means.out && call.out == MPI_IN_PLACE) {
        if (!scatters || !is_root) return false;
        means.out = false;
    }
    const bool exchanges = what == function::alltoallv || what == function::alltoallw;
    const bool types = what == function::alltoallw;
    const bool in_arrays = exchanges || what == function::scatterv;
    const bool out_arrays = exchanges || what == function::gatherv || what == function::allgatherv;
    const bool all_arrays = what == function::reduce_scatter;
    if (combines(what)) {
        if (!good_reduction(call) || !has_good_counts(call.receive, ranks, all_arrays, false, false)) return false;
        if (means.in && !has_memory(call.in, call.receive, ranks, all_arrays)) return false;
        if (means.out && !has_memory(call.out, call.receive, ranks, all_arrays)) return false;
        return !means.in || !means.out || !has_elements(call.receive, ranks, all_arrays) ||
               !refuses_addresses(call, rank);
    }
    if (means.in && (!has_good_counts(call.send, ranks, in_arrays, in_arrays, types) ||
                     !has_memory(call.in, call.send, ranks, in_arrays)))
        return false;
    if (means.out && (!has_good_counts(call.receive, ranks, out_arrays, out_arrays, types) ||
                      !has_memory(call.out, call.receive, ranks, out_arrays)))
        return false;
    if (!means.in || !means.out || !refuses_addresses(call, rank)) return true;
    return !has_elements(call.send, ranks, in_arrays) || !has_elements(call.receive, ranks, out_arrays);
}

}  // namespace collsched::preload
