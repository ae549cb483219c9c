#pragma once

#include <cstdint>

#include "collsched/core/edge.hpp"
#include "collsched/schedule/detail/contract_blocks.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Collective operation. The names are those of MPI.
enum class collective : std::uint8_t {
    broadcast,
    scatter,
    gather,
    allgather,
    reduce,
    allreduce,
    reduce_scatter,
    scan,
    exscan,
    alltoall,
    barrier,
    neighbor_allgather,
    neighbor_alltoall,
};

/// Returns the name of a collective, such as "reduce_scatter".
/// @param kind  a collective
constexpr const char* name_of(collective kind) {
    constexpr const char* names[] = {"broadcast",        "scatter",   "gather",         "allgather",
                                     "reduce",           "allreduce", "reduce_scatter", "scan",
                                     "exscan",           "alltoall",  "barrier",        "neighbor_allgather",
                                     "neighbor_alltoall"};
    return names[static_cast<int>(kind)];
}

/// Returns whether the collective has a root.
/// @param kind  a collective
/// @return true for broadcast, scatter, gather and reduce
constexpr bool is_rooted(collective kind) {
    return kind == collective::broadcast || kind == collective::scatter || kind == collective::gather ||
           kind == collective::reduce;
}

/// Returns whether the collective moves the p blocks of a block_layout. An alltoall moves those of a block_matrix, a
/// neighborhood collective those of a slot_layout.
/// @param kind  a collective
/// @return true for scatter, gather, allgather and reduce_scatter
constexpr bool moves_blocks(collective kind) {
    return kind == collective::scatter || kind == collective::gather || kind == collective::allgather ||
           kind == collective::reduce_scatter;
}

/// Returns whether blocks move between neighbors only.
/// @param kind  a collective
/// @return true for neighbor_allgather and neighbor_alltoall
constexpr bool has_neighbors(collective kind) {
    return kind == collective::neighbor_allgather || kind == collective::neighbor_alltoall;
}

/// Returns whether the collective moves blocks of any layout. MPI has an irregular version of these, with suffix v or
/// w.
/// @param kind  a collective
constexpr bool has_blocks(collective kind) {
    return moves_blocks(kind) || has_neighbors(kind) || kind == collective::alltoall;
}

/// Returns whether the collective combines operands.
/// @param kind  a collective
/// @return true for reduce, allreduce, reduce_scatter, scan and exscan
constexpr bool reduces(collective kind) {
    return kind == collective::reduce || kind == collective::allreduce || kind == collective::reduce_scatter ||
           kind == collective::scan || kind == collective::exscan;
}

/// Relation of `input` and `output` in memory: two separate buffers, or one inside the other as contract::alias()
/// specifies (MPI_IN_PLACE).
enum class binding : std::uint8_t { separate, in_place };

namespace detail {

/// Buffer `guest` begins `offset` bytes into buffer `host`. Without aliasing both are equal.
struct buffer_alias {
    buffer host = buffer::input;
    buffer guest = buffer::input;
    bytes_t offset = 0;

    /// Returns whether a buffer is inside another one.
    constexpr bool any() const { return host != guest; }
};

/// Returns the collective of the reversed schedule; `forward` if there is no other.
constexpr collective reverse_of(collective forward) {
    switch (forward) {
        case collective::scatter: return collective::gather;
        case collective::gather: return collective::scatter;
        case collective::broadcast: return collective::reduce;
        case collective::reduce: return collective::broadcast;
        case collective::allgather: return collective::reduce_scatter;
        case collective::reduce_scatter: return collective::allgather;
        default: return forward;
    }
}

}  // namespace detail

/// Byte of a rank: a buffer and an offset. After aliasing, locations are equal exactly if they denote the same byte.
struct location {
    buffer where = buffer::input;  ///< a buffer of a rank
    bytes_t offset = 0;            ///< first byte, from the beginning of the buffer
    bool operator==(const location&) const = default;
};

namespace detail {

/// Returns the location of byte `offset` of buffer `where` after aliasing.
constexpr location locate(const buffer_alias& alias, buffer where, bytes_t offset) {
    return alias.any() && where == alias.guest ? location{alias.host, offset + alias.offset} : location{where, offset};
}

/// Returns whether e is a local copy between two buffers whose ends are the same bytes under `alias`. Such a copy is
/// not executed.
constexpr bool vanishes(const buffer_alias& alias, const edge& e) {
    return e.is_local() && !e.combines() && e.from != e.into &&
           locate(alias, e.from, e.from_offset) == locate(alias, e.into, e.into_offset);
}

}  // namespace detail

/// Contract of a collective: the bytes that each rank has in `input` before, and the bytes that its `output` must have
/// after. verify() proves that a schedule fulfills it.
///
/// Only the members that the collective uses are significant.
struct contract {
    /// Part of an output and its required value: the bytes at offset `at` of the inputs of ranks first .. last-1,
    /// combined in this operand order. For one rank: its bytes unchanged.
    struct result_range {
        byte_range where;  ///< the bytes of output
        rank_t first = 0;  ///< first rank whose input contributes
        rank_t last = 0;   ///< rank behind the last one that contributes; first + 1 for a copy
        bytes_t at = 0;    ///< offset of the bytes in each of these inputs
    };

    /// Lower bounds for every schedule of a collective in which a rank sends and receives at most one message per
    /// round.
    struct lower_bounds {
        step_t rounds = 0;  ///< smallest number of rounds
        bytes_t bytes = 0;  ///< for the rank that must send, or receive, the most bytes
        bool operator==(const lower_bounds&) const = default;
    };

    collsched::collective collective = collsched::collective::barrier;  ///< the collective
    rank_t ranks = 1;                                                   ///< number of ranks p, 1 or more
    rank_t root = 0;                                                    ///< root of a rooted collective, 0 .. p-1
    /// A block_layout (scatter, gather, allgather, reduce_scatter), a block_matrix (alltoall), or a pair {neighborhood,
    /// slot_layout}: slot_layout::gathered for neighbor_allgather, slot_layout::exchanged for neighbor_alltoall.
    detail::contract_blocks blocks = detail::contract_blocks::none();
    bytes_t bytes = 0;         ///< other collectives: bytes m of every buffer
    bytes_t element = 1;       ///< bytes of an operand: no message splits one
    bool commutative = false;  ///< operands may be combined in any order

    /// Returns the layout of the blocks; empty blocks unless `blocks` is a block_layout.
    /// @return reference that is valid as long as this contract is unchanged, as are those of the next functions
    constexpr const block_layout& layout() const { return blocks.layout(); }
    /// Returns the sizes of an exchange; empty blocks unless `blocks` is a block_matrix.
    constexpr const block_matrix& matrix() const { return blocks.matrix(); }
    /// Returns the graph of a neighborhood collective; no neighbors for other collectives.
    constexpr const neighborhood& neighbors() const { return blocks.neighbors(); }
    /// Returns the slots of a neighborhood collective; empty slots for other collectives.
    constexpr const slot_layout& slots() const { return blocks.slots(); }

    /// Returns the bytes of the input of rank r. O(1).
    /// @param r  rank, 0 .. ranks-1
    constexpr bytes_t input_bytes(rank_t r) const {
        switch (collective) {
            case collective::broadcast: return r == root ? bytes : 0;
            case collective::scatter: return r == root ? layout().extent(ranks) : 0;
            case collective::gather:
            case collective::allgather: return layout().count(r);
            case collective::reduce_scatter: return layout().extent(ranks);
            case collective::alltoall: return matrix().send_extent(r, ranks);
            case collective::neighbor_allgather:
            case collective::neighbor_alltoall: return slots().input_bytes(neighbors(), r);
            case collective::barrier: return 0;
            default: return bytes;
        }
    }

    /// Returns the bytes of the output of rank r. O(1).
    /// @param r  rank, 0 .. ranks-1
    constexpr bytes_t output_bytes(rank_t r) const {
        switch (collective) {
            case collective::gather: return r == root ? layout().extent(ranks) : 0;
            case collective::reduce: return r == root ? bytes : 0;
            case collective::allgather: return layout().extent(ranks);
            case collective::alltoall: return matrix().recv_extent(r, ranks);
            case collective::scatter:
            case collective::reduce_scatter: return layout().count(r);
            case collective::neighbor_allgather:
            case collective::neighbor_alltoall: return slots().output_bytes(neighbors(), r);
            case collective::barrier: return 0;
            default: return bytes;
        }
    }

    /// Calls f(result_range) for every nonempty part of the output of rank r. O(parts).
    /// @param r  rank, 0 .. ranks-1
    /// @param f  callable, f(result_range)
    constexpr void results(rank_t r, auto f) const {
        const auto emit = [&](const result_range& part) {
            if (part.where.size > 0) f(part);
        };
        switch (collective) {
            case collective::broadcast: return emit({{0, bytes}, root, root + 1, 0});
            case collective::scatter: return emit({{0, layout().count(r)}, root, root + 1, layout().displ(r)});
            case collective::gather:
                if (r != root) return;
                [[fallthrough]];
            case collective::allgather:
                for (rank_t i = 0; i < ranks; ++i) emit({{layout().displ(i), layout().count(i)}, i, i + 1, 0});
                return;
            case collective::alltoall:
                for (rank_t i = 0; i < ranks; ++i)
                    emit({{matrix().recv_displ(i, r), matrix().count(i, r)}, i, i + 1, matrix().send_displ(i, r)});
                return;
            case collective::reduce:
                if (r == root) emit({{0, bytes}, 0, ranks, 0});
                return;
            case collective::allreduce: return emit({{0, bytes}, 0, ranks, 0});
            case collective::reduce_scatter: return emit({{0, layout().count(r)}, 0, ranks, layout().displ(r)});
            case collective::scan: return emit({{0, bytes}, 0, r + 1, 0});
            case collective::exscan:
                if (r > 0) emit({{0, bytes}, 0, r, 0});
                return;
            case collective::barrier: return;
            case collective::neighbor_allgather:
            case collective::neighbor_alltoall:
                for (rank_t j = 0; j < neighbors().in_degree(r); ++j)
                    if (const rank_t i = neighbors().source(r, j); i >= 0)
                        emit({slots().received(neighbors(), r, j), i, i + 1,
                              slots().sent(neighbors(), i, neighbors().departure(r, j)).offset});
                return;
        }
    }

    /// Returns the aliasing of the buffers of rank r under `binding`. O(1).
    /// @param r        rank, 0 .. ranks-1
    /// @param binding  separate buffers, or in place
    /// @return the buffer inside another one, and its offset in bytes; any() is false if there is none
    constexpr detail::buffer_alias alias(rank_t r, binding binding) const {
        constexpr detail::buffer_alias none{};
        if (binding == binding::separate) return none;
        constexpr detail::buffer_alias in_place{buffer::output, buffer::input, 0};
        switch (collective) {
            case collective::gather:
                if (r != root) return none;
                [[fallthrough]];
            case collective::allgather: return {buffer::output, buffer::input, layout().displ(r)};
            case collective::scatter:
                return r == root ? detail::buffer_alias{buffer::input, buffer::output, layout().displ(r)} : none;
            case collective::broadcast:
            case collective::reduce: return r == root ? in_place : none;
            case collective::neighbor_allgather:
            case collective::neighbor_alltoall:
            case collective::barrier: return none;
            default: return in_place;
        }
    }

    /// Returns the bytes that `input` or `output` of rank r needs, including a buffer inside it: in place, the input of
    /// a reduce_scatter is larger than its output.
    /// @param r      rank, 0 .. ranks-1
    /// @param where  input or output
    /// @param alias  result of alias(r, binding)
    constexpr bytes_t reach(rank_t r, buffer where, const detail::buffer_alias& alias) const {
        const auto buffer_bytes = [&](buffer b) { return b == buffer::input ? input_bytes(r) : output_bytes(r); };
        const bytes_t guest = alias.any() && where == alias.host ? alias.offset + buffer_bytes(alias.guest) : 0;
        return guest < buffer_bytes(where) ? buffer_bytes(where) : guest;
    }

    bool operator==(const contract&) const = default;
};

}}  // namespace collsched::COLLSCHED_ABI
