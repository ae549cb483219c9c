#pragma once

#include <cstdint>

#include "collsched/collective/broadcast/detail/forest_pipeline.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/tree/planned_forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Calls f(piece, rank, edge) for each edge of a forest, with its tree, the rank that it adds, and its index.
constexpr void for_each_arrival(const trees::forest& all, auto f) {
    for (std::int64_t t = 0; t < all.trees.size(); ++t)
        for (std::int64_t i = all.trees[t].first_edge; i < all.trees[t].end_edge; ++i) f(t, all.edges[i].to, i);
}
/// Calls f(piece, rank, transfer) for each transfer, with its chunk, the rank that receives it, and its index.
constexpr void for_each_arrival(const trees::transfer_plan& all, auto f) {
    for (std::int64_t i = 0; i < all.transfers.size(); ++i) f(all.chunk(all.transfers[i]), all.transfers[i].to, i);
}
constexpr rank_t sender_of(const trees::forest& all, std::int64_t i) { return all.edges[i].from; }
constexpr rank_t sender_of(const trees::transfer_plan& all, std::int64_t i) { return all.transfers[i].from; }

/// Calls f(vertex) for each vertex of the path of an edge or a transfer, from its last vertex to its first if `reversed`.
constexpr void visit_path(const trees::forest& all, std::int64_t i, bool reversed, auto f) {
    const auto path = all.path(all.edges[i]);
    for (std::size_t n = 0; n < path.size(); ++n) f(path[reversed ? path.size() - 1 - n : n]);
}
constexpr void visit_path(const trees::transfer_plan& all, std::int64_t i, bool reversed, auto f) {
    const auto hops = all.path(all.transfers[i]);
    f(reversed ? hops[hops.size() - 1].to : hops[0].from);
    for (std::size_t n = 0; n < hops.size(); ++n) f(reversed ? hops[hops.size() - 1 - n].from : hops[n].to);
}

}  // namespace detail

/// The paths of the edges of a schedule over a forest (allgather::over_forest and those of the other collectives), or of
/// matched transfers (allgather::matched, reduce_scatter::matched).
///
/// An edge moves bytes of the piece of one tree or chunk. The location of the bytes at the target determines the piece:
/// edges that copy follow the path, and edges that combine go back on it. Memory: 8 bytes per rank and piece.
template <class Trees>
class forest_paths {
  public:
    /// Finds the pieces. O(pieces * ranks).
    /// @param contract  contract of the schedule
    /// @param plan      the planned_forest or planned_transfers of the schedule, without error
    constexpr forest_paths(const contract& contract, const Trees& plan)
        : plan_(plan), element_(contract.element > 0 ? contract.element : 1) {
        read_blocks(contract);
        pieces_ = broadcast::detail::pieces_of(plan_.value(), [&](rank_t root) { return sizes_[root] / element_; });
        first_ = owned_array<std::int64_t>(plan_.ranks() + 1);
        for (const broadcast::detail::forest_piece& piece : pieces_) ++first_[piece.root + 1];
        for (rank_t r = 0; r < plan_.ranks(); ++r) first_[r + 1] += first_[r];
        arrival_ = owned_array<std::int64_t>(pieces_.size() * plan_.ranks());
        detail::for_each_arrival(plan_.value(), [&](std::int64_t piece, rank_t to, std::int64_t i) {
            arrival_[piece * plan_.ranks() + to] = i + 1;
        });
    }

    /// Calls f(vertex) for each vertex of the path of an edge, from src to dst. O(log(ranks) + log(pieces) + path).
    /// @param e  an edge of the schedule
    /// @param f  callable, f(rank_t)
    /// @return whether the edge has a path; otherwise f is not called
    constexpr bool visit(const edge& e, auto f) const {
        const std::int64_t piece = e.is_local() ? -1 : piece_at(e.into_offset);
        if (piece < 0) return false;
        const rank_t to = e.combines() ? e.src : e.dst, from = e.combines() ? e.dst : e.src;
        if (to < 0 || to >= plan_.ranks()) return false;
        const std::int64_t i = arrival_[piece * plan_.ranks() + to] - 1;
        if (i < 0 || detail::sender_of(plan_.value(), i) != from) return false;
        detail::visit_path(plan_.value(), i, e.combines(), f);
        return true;
    }

  private:
    /// A block at its place in the buffer of all blocks.
    struct placed_block {
        bytes_t first, size;
        rank_t root;
    };

    constexpr void read_blocks(const contract& contract) {
        const rank_t p = plan_.ranks();
        sizes_ = owned_array<bytes_t>(p);
        if (is_rooted(contract.collective)) {
            sizes_[contract.root] = contract.bytes;
            blocks_ = owned_array<placed_block>(1);
            blocks_[0] = {0, contract.bytes, contract.root};
            return;
        }
        const block_layout blocks = contract.collective == collective::allreduce
                                        ? block_layout::partition(contract.bytes, p, contract.element)
                                        : contract.layout();
        blocks_ = owned_array<placed_block>(p);
        for (rank_t r = 0; r < p; ++r) {
            sizes_[r] = blocks.count(r);
            blocks_[r] = {blocks.displ(r), blocks.count(r), r};
        }
        detail::sort(blocks_.begin(), blocks_.size(), [](const placed_block& a, const placed_block& b) {
            return a.first != b.first ? a.first < b.first : a.size < b.size;
        });
    }

    /// Returns the piece that has the byte at this offset, or -1.
    constexpr std::int64_t piece_at(bytes_t offset) const {
        const std::int64_t after =
            detail::first_where(0, blocks_.size(), [&](std::int64_t i) { return blocks_[i].first > offset; });
        if (after == 0 || offset - blocks_[after - 1].first >= blocks_[after - 1].size) return -1;
        const placed_block& block = blocks_[after - 1];
        const std::int64_t element = (offset - block.first) / element_, end = first_[block.root + 1];
        const std::int64_t piece = detail::first_where(
            first_[block.root], end, [&](std::int64_t i) { return pieces_[i].first + pieces_[i].count > element; });
        return piece < end ? piece : -1;
    }

    Trees plan_;
    bytes_t element_;
    owned_array<bytes_t> sizes_;        // per rank
    owned_array<placed_block> blocks_;  // by place
    owned_array<broadcast::detail::forest_piece> pieces_;
    owned_array<std::int64_t> first_;    // per rank: its first piece
    owned_array<std::int64_t> arrival_;  // per piece and rank: 1 + the index of the edge that brings it, or 0
};

}}  // namespace collsched::COLLSCHED_ABI
