#pragma once

#include <cstdint>

#include "collsched/collective/broadcast/detail/forest_pipeline.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/tree/planned_forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The paths of the edges of a schedule over a forest (allgather::over_forest and those of the other collectives).
///
/// An edge moves bytes of the piece of one tree. The location of the bytes at the target determines the tree: edges that
/// copy go from the root to the leaves, and edges that combine from the leaves to the root. Memory: 8 bytes per rank and
/// tree.
class forest_paths {
  public:
    /// Finds the pieces. O(trees * ranks).
    /// @param promise  contract of the schedule
    /// @param forest   the forest of the schedule, without error
    constexpr forest_paths(const contract& promise, const trees::planned_forest& forest)
        : forest_(forest), element_(promise.element > 0 ? promise.element : 1) {
        read_blocks(promise);
        const trees::forest& all = forest_.value();
        pieces_ = broadcast::detail::pieces_of(all, [&](rank_t root) { return bytes_of(root) / element_; });
        edge_to_ = owned_array<std::int64_t>(all.trees.size() * all.ranks);
        for (std::int64_t t = 0; t < all.trees.size(); ++t)
            for (std::int64_t i = all.trees[t].first_edge; i < all.trees[t].end_edge; ++i)
                edge_to_[t * all.ranks + all.edges[i].to] = i + 1;
    }

    /// Calls f(vertex) for each vertex of the path of an edge, from src to dst. O(log(ranks) + log(trees) + path).
    /// @param e  an edge of the schedule
    /// @param f  callable, f(rank_t)
    /// @return whether the edge is one of the forest; otherwise f is not called
    constexpr bool visit(const edge& e, auto f) const {
        const trees::forest& all = forest_.value();
        const std::int64_t t = e.is_local() ? -1 : tree_of(e.into_offset);
        if (t < 0) return false;
        const rank_t child = e.combines() ? e.src : e.dst, parent = e.combines() ? e.dst : e.src;
        if (child < 0 || child >= all.ranks) return false;
        const std::int64_t i = edge_to_[t * all.ranks + child] - 1;
        if (i < 0 || all.edges[i].from != parent) return false;
        const auto path = all.path(all.edges[i]);
        for (std::size_t n = 0; n < path.size(); ++n) f(path[e.combines() ? path.size() - 1 - n : n]);
        return true;
    }

  private:
    /// A block that is not empty, at its place in the buffer of all blocks.
    struct placed_block {
        bytes_t first = 0, size = 0;
        rank_t root = 0;
    };

    constexpr void read_blocks(const contract& promise) {
        const rank_t p = forest_.ranks();
        sizes_ = owned_array<bytes_t>(p);
        if (is_rooted(promise.collective)) {
            sizes_[promise.root] = promise.bytes;
            blocks_ = owned_array<placed_block>(1);
            blocks_[0] = {0, promise.bytes, promise.root};
            return;
        }
        const block_layout blocks = promise.collective == collective::allreduce
                                        ? block_layout::partition(promise.bytes, p, promise.element)
                                        : promise.blocks;
        blocks_ = owned_array<placed_block>(p);
        for (rank_t r = 0; r < p; ++r) {
            sizes_[r] = blocks.count(r);
            blocks_[r] = {blocks.displ(r), blocks.count(r), r};
        }
        detail::sort(blocks_.begin(), blocks_.size(), [](const placed_block& a, const placed_block& b) {
            return a.first != b.first ? a.first < b.first : a.size < b.size;
        });
    }
    constexpr bytes_t bytes_of(rank_t root) const { return sizes_[root]; }

    /// Returns the tree whose piece has the byte at this offset, or -1.
    constexpr std::int64_t tree_of(bytes_t offset) const {
        std::int64_t low = 0, high = blocks_.size();  // the last block that begins at or before the offset
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (blocks_[middle].first <= offset) low = middle + 1;
            else high = middle;
        }
        if (low == 0 || offset - blocks_[low - 1].first >= blocks_[low - 1].size) return -1;
        const placed_block& block = blocks_[low - 1];
        const auto trees = forest_.trees_of(block.root);
        if (trees.empty()) return -1;
        const std::int64_t element = (offset - block.first) / element_;
        const std::int64_t first = trees.data() - forest_.value().trees.begin();
        low = first, high = first + static_cast<std::int64_t>(trees.size());
        while (low < high) {  // the last tree whose piece begins at or before the element and is not empty
            const std::int64_t middle = low + (high - low) / 2;
            if (pieces_[middle].first + pieces_[middle].count <= element) low = middle + 1;
            else high = middle;
        }
        return low < first + static_cast<std::int64_t>(trees.size()) ? low : -1;
    }

    trees::planned_forest forest_;
    bytes_t element_;
    owned_array<bytes_t> sizes_;        // per rank
    owned_array<placed_block> blocks_;  // by place
    owned_array<broadcast::detail::forest_piece> pieces_;
    owned_array<std::int64_t> edge_to_;  // per tree and rank: 1 + the index of the edge that adds the rank, or 0
};

}}  // namespace collsched::COLLSCHED_ABI
