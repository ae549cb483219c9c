#pragma once

#include <cstdint>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/block_matrix.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/core/neighborhood.hpp"
#include "collsched/core/slot_layout.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

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

constexpr const char* name_of(collective kind) {
    constexpr const char* names[] = {"broadcast",        "scatter",   "gather",         "allgather",
                                     "reduce",           "allreduce", "reduce_scatter", "scan",
                                     "exscan",           "alltoall",  "barrier",        "neighbor_allgather",
                                     "neighbor_alltoall"};
    return names[static_cast<int>(kind)];
}

/// Rooted collectives have a root; all others but scans, which follow the order of ranks, treat the ranks alike.
constexpr bool is_rooted(collective kind) {
    return kind == collective::broadcast || kind == collective::scatter || kind == collective::gather ||
           kind == collective::reduce;
}

/// Collectives of p blocks of a layout. (A complete exchange moves p * p of a matrix, a neighborhood collective those
/// of slots.)
constexpr bool moves_blocks(collective kind) {
    return kind == collective::scatter || kind == collective::gather || kind == collective::allgather ||
           kind == collective::reduce_scatter;
}

/// Neighborhood collectives move blocks between neighbors alone.
constexpr bool has_neighbors(collective kind) {
    return kind == collective::neighbor_allgather || kind == collective::neighbor_alltoall;
}

/// Collectives of blocks, of a layout, a matrix or slots; irregular ones have a name with v.
constexpr bool has_blocks(collective kind) {
    return moves_blocks(kind) || has_neighbors(kind) || kind == collective::alltoall;
}

/// Reductions combine operands.
constexpr bool reduces(collective kind) {
    return kind == collective::reduce || kind == collective::allreduce || kind == collective::reduce_scatter ||
           kind == collective::scan || kind == collective::exscan;
}

/// Whether `input` and `output` are memory of their own, or lie in each other as the contract says.
enum class binding : std::uint8_t { separate, in_place };

namespace detail {

/// In place, `guest` begins `offset` bytes into `host`. Without aliasing the two are the same id.
struct buffer_alias {
    buffer host = buffer::input;
    buffer guest = buffer::input;
    bytes_t offset = 0;

    constexpr bool any() const { return host != guest; }
};

}  // namespace detail

/// A byte of a rank, after aliasing: two locations name the same byte exactly when they are equal.
struct location {
    buffer where = buffer::input;
    bytes_t offset = 0;
    bool operator==(const location&) const = default;
};

namespace detail {

constexpr location locate(const buffer_alias& alias, buffer where, bytes_t offset) {
    return alias.any() && where == alias.guest ? location{alias.host, offset + alias.offset} : location{where, offset};
}

/// A local copy between two buffers whose two ends are the same bytes, because one lies in the other: it vanishes.
constexpr bool vanishes(const buffer_alias& alias, const edge& e) {
    return e.is_local() && !e.combines() && e.from != e.into &&
           locate(alias, e.from, e.from_offset) == locate(alias, e.into, e.into_offset);
}

}  // namespace detail

/// Bytes of `output` and what they must be in the end: the bytes at `at` of the inputs of first .. last-1, combined in
/// that operand order (one rank: its bytes as they are).
struct result_range {
    byte_range where;
    rank_t first = 0;
    rank_t last = 0;
    bytes_t at = 0;
};

/// What a collective promises: which bytes each rank brings in `input`, and what its `output` is in the end.
struct contract {
    collsched::collective collective = collsched::collective::barrier;
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout blocks{};     ///< block collectives: scatter, gather, allgather, reduce_scatter
    block_matrix matrix{};     ///< alltoall
    neighborhood neighbors{};  ///< neighborhood collectives, as slots
    slot_layout slots{};  ///< slot_layout::gathered of neighbor_allgather, slot_layout::exchanged of neighbor_alltoall
    bytes_t bytes = 0;    ///< the others: m bytes on every rank that has a buffer
    bytes_t element = 1;  ///< combining never splits an element of this size
    bool commutative = false;  ///< operands may be combined in any order

    constexpr bytes_t input_bytes(rank_t r) const {
        switch (collective) {
            case collective::broadcast: return r == root ? bytes : 0;
            case collective::scatter: return r == root ? blocks.extent(ranks) : 0;
            case collective::gather:
            case collective::allgather: return blocks.count(r);
            case collective::reduce_scatter: return blocks.extent(ranks);
            case collective::alltoall: return matrix.send_extent(r, ranks);
            case collective::neighbor_allgather:
            case collective::neighbor_alltoall: return slots.input_bytes(neighbors, r);
            case collective::barrier: return 0;
            default: return bytes;
        }
    }

    constexpr bytes_t output_bytes(rank_t r) const {
        switch (collective) {
            case collective::gather: return r == root ? blocks.extent(ranks) : 0;
            case collective::reduce: return r == root ? bytes : 0;
            case collective::allgather: return blocks.extent(ranks);
            case collective::alltoall: return matrix.recv_extent(r, ranks);
            case collective::scatter:
            case collective::reduce_scatter: return blocks.count(r);
            case collective::neighbor_allgather:
            case collective::neighbor_alltoall: return slots.output_bytes(neighbors, r);
            case collective::barrier: return 0;
            default: return bytes;
        }
    }

    /// Calls f(result_range) for every part of rank r's output. Empty parts are left out.
    constexpr void results(rank_t r, auto f) const {
        const auto emit = [&](const result_range& part) {
            if (part.where.size > 0) f(part);
        };
        switch (collective) {
            case collective::broadcast: return emit({{0, bytes}, root, root + 1, 0});
            case collective::scatter: return emit({{0, blocks.count(r)}, root, root + 1, blocks.displ(r)});
            case collective::gather:
                if (r != root) return;
                [[fallthrough]];
            case collective::allgather:
                for (rank_t i = 0; i < ranks; ++i) emit({{blocks.displ(i), blocks.count(i)}, i, i + 1, 0});
                return;
            case collective::alltoall:
                for (rank_t i = 0; i < ranks; ++i)
                    emit({{matrix.recv_displ(i, r), matrix.count(i, r)}, i, i + 1, matrix.send_displ(i, r)});
                return;
            case collective::reduce:
                if (r == root) emit({{0, bytes}, 0, ranks, 0});
                return;
            case collective::allreduce: return emit({{0, bytes}, 0, ranks, 0});
            case collective::reduce_scatter: return emit({{0, blocks.count(r)}, 0, ranks, blocks.displ(r)});
            case collective::scan: return emit({{0, bytes}, 0, r + 1, 0});
            case collective::exscan:
                if (r > 0) emit({{0, bytes}, 0, r, 0});
                return;
            case collective::barrier: return;
            case collective::neighbor_allgather:
            case collective::neighbor_alltoall:
                for (rank_t j = 0; j < neighbors.in_degree(r); ++j)
                    if (const rank_t i = neighbors.source(r, j); i >= 0)
                        emit({slots.received(neighbors, r, j), i, i + 1,
                              slots.sent(neighbors, i, neighbors.departure(r, j)).offset});
                return;
        }
    }

    /// Where the buffers of rank r lie in each other under this binding.
    constexpr detail::buffer_alias alias(rank_t r, binding binding) const {
        constexpr detail::buffer_alias none{};
        if (binding == binding::separate) return none;
        constexpr detail::buffer_alias same{buffer::output, buffer::input, 0};
        switch (collective) {
            case collective::gather:
                if (r != root) return none;
                [[fallthrough]];
            case collective::allgather: return {buffer::output, buffer::input, blocks.displ(r)};
            case collective::scatter:
                return r == root ? detail::buffer_alias{buffer::input, buffer::output, blocks.displ(r)} : none;
            case collective::broadcast:
            case collective::reduce: return r == root ? same : none;
            case collective::neighbor_allgather:
            case collective::neighbor_alltoall:
            case collective::barrier: return none;
            default: return same;
        }
    }

    /// How far `input` or `output` of rank r reaches, with what lies in it: in place a reduce_scatter's input
    /// outreaches its output.
    constexpr bytes_t reach(rank_t r, buffer where, const detail::buffer_alias& alias) const {
        const auto buffer_bytes = [&](buffer b) { return b == buffer::input ? input_bytes(r) : output_bytes(r); };
        const bytes_t guest = alias.any() && where == alias.host ? alias.offset + buffer_bytes(alias.guest) : 0;
        return guest < buffer_bytes(where) ? buffer_bytes(where) : guest;
    }

    bool operator==(const contract&) const = default;
};

}}  // namespace collsched::COLLSCHED_ABI
