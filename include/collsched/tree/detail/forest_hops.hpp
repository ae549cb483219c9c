#pragma once

#include <cstdint>

#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/forest.hpp"
#include "collsched/tree/transfer_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees::detail {

/// Returns the steps from a segment's departure at one end of an edge to that at the other: one per link of its path, and
/// at least 2. All edges of a step and pair of ranks are one message. While it is on its way, the message of the next step
/// must not wait for it, or links would be idle for a latency in every step.
constexpr step_t steps_of(const forest::edge& edge) {
    const step_t links = edge.end_vertex - edge.first_vertex - 1;
    return links > 2 ? links : 2;
}

/// An edge of a tree of a forest, or a transfer of a plan, at one of its ends.
struct forest_hop {
    std::int64_t tree{};  ///< index in forest::trees, or the number of a chunk
    rank_t peer{};        ///< the rank at the other end
    step_t level{};       ///< steps from the root to the sender, or the step of a transfer
};

/// An edge of a tree of a forest, or a transfer of a plan.
struct forest_row {
    std::int64_t tree{};
    rank_t from{}, to{};
    step_t level{};
};

/// Edges grouped by the rank at one end, with those of a rank in the order of the rows.
class hop_lists {
  public:
    constexpr hop_lists() = default;
    /// Groups rows by the member `end`. `other` is the member with the rank at the other end.
    constexpr hop_lists(rank_t ranks, const owned_array<forest_row>& rows, rank_t forest_row::* end,
                        rank_t forest_row::* other)
        : first_(ranks + 1), hops_(rows.size()) {
        for (const forest_row& row : rows) ++first_[row.*end + 1];
        for (rank_t r = 0; r < ranks; ++r) first_[r + 1] += first_[r];
        owned_array<std::int64_t> next = first_;
        for (const forest_row& row : rows) hops_[next[row.*end]++] = {row.tree, row.*other, row.level};
    }

    /// Calls f(hop) for the edges of rank r with a level in `levels`. O(log of the edges of r), and O(1) per call.
    constexpr void visit(rank_t r, step_range levels, auto f) const {
        if (first_.empty()) return;
        const auto begun = [&](std::int64_t i) { return hops_[i].level >= levels.first; };
        for (std::int64_t i = collsched::detail::first_where(first_[r], first_[r + 1], begun);
             i < first_[r + 1] && hops_[i].level <= levels.last; ++i)
            f(hops_[i]);
    }
    /// Returns the levels from that of the first edge of rank r to that of its last.
    constexpr step_range levels(rank_t r) const {
        if (first_.empty() || first_[r] == first_[r + 1]) return {};
        return {hops_[first_[r]].level, hops_[first_[r + 1] - 1].level};
    }

  private:
    owned_array<std::int64_t> first_;  // the edges of rank r are hops_[first_[r]] .. hops_[first_[r+1] - 1]
    owned_array<forest_hop> hops_;
};

/// Returns the step of each transfer: 1 + the largest step of the transfer that brought its chunk to the sender, and of
/// the transfers before it on the links of its path; 0 without any of them. O(ranks^2 parts + hops log hops).
/// @pre no error in all.check()
constexpr owned_array<step_t> steps_of(const transfer_plan& all) {
    const owned_array<std::int64_t> previous = all.previous_on_link();
    const std::int64_t chunks = all.ranks * all.parts;
    owned_array<step_t> steps(all.transfers.size()), of_hop(all.hops.size());
    owned_array<step_t> next(steps.empty() ? 0
                                           : all.ranks * chunks);  // the first step in which a rank can send a chunk
    for (std::int64_t t = 0; t < steps.size(); ++t) {
        const transfer_plan::transfer& transfer = all.transfers[t];
        step_t step = next[transfer.from * chunks + all.chunk(transfer)];
        for (std::int64_t h = transfer.first_hop; h < transfer.end_hop; ++h)
            if (previous[h] >= 0 && of_hop[previous[h]] >= step) step = of_hop[previous[h]] + 1;
        for (std::int64_t h = transfer.first_hop; h < transfer.end_hop; ++h) of_hop[h] = step;
        next[transfer.to * chunks + all.chunk(transfer)] = step + 1;
        steps[t] = step;
    }
    return steps;
}

/// The edges of some trees of a forest, or the transfers of some chunks, at the ranks that send and at those that
/// receive, rank by rank, by level and then by tree. O(ranks + edges) memory.
struct forest_hops {
    hop_lists sends, receives;
    step_t depth = 0;    ///< 1 + the largest level
    step_t longest = 1;  ///< largest number of steps of an edge; 1 for transfers

    constexpr forest_hops() = default;
    /// Takes the trees t for which used(t) is true. O(ranks + edges).
    /// @pre no error in all.check()
    constexpr forest_hops(const forest& all, auto used) {
        std::int64_t count = 0;
        for (std::int64_t t = 0; t < all.trees.size(); ++t) count += used(t) ? all.ranks - 1 : 0;
        if (count > 0) group(all.ranks, rows_of(all, count, used));
    }
    /// Takes the chunks c for which used(c) is true, at the steps of the whole plan. O(ranks^2 parts + hops log hops).
    /// @pre no error in all.check()
    constexpr forest_hops(const transfer_plan& all, auto used) {
        const owned_array<step_t> steps = steps_of(all);
        std::int64_t count = 0, next = 0;
        for (const transfer_plan::transfer& transfer : all.transfers) count += used(all.chunk(transfer)) ? 1 : 0;
        owned_array<forest_row> rows(count);
        for (std::int64_t t = 0; t < steps.size(); ++t) {
            const transfer_plan::transfer& transfer = all.transfers[t];
            if (!used(all.chunk(transfer))) continue;
            rows[next++] = {all.chunk(transfer), transfer.from, transfer.to, steps[t]};
            depth = steps[t] < depth ? depth : steps[t] + 1;
        }
        if (count > 0) group(all.ranks, rows);
    }

  private:
    constexpr void group(rank_t ranks, const owned_array<forest_row>& unordered) {
        const owned_array<forest_row> rows = by_level(unordered);
        sends = hop_lists(ranks, rows, &forest_row::from, &forest_row::to);
        receives = hop_lists(ranks, rows, &forest_row::to, &forest_row::from);
    }
    /// Returns the edges tree by tree, with their levels, and sets the depth.
    constexpr owned_array<forest_row> rows_of(const forest& all, std::int64_t count, auto used) {
        owned_array<forest_row> rows(count);
        owned_array<step_t> level(all.ranks);
        std::int64_t next = 0;
        for (std::int64_t t = 0; t < all.trees.size(); ++t) {
            if (!used(t)) continue;
            level[all.trees[t].root] = 0;
            for (const forest::edge& edge : all.edges_of(all.trees[t])) {
                rows[next++] = {t, edge.from, edge.to, level[edge.from]};
                level[edge.to] = level[edge.from] + steps_of(edge);
                longest = steps_of(edge) > longest ? steps_of(edge) : longest;
                depth = level[edge.from] + 1 > depth ? level[edge.from] + 1 : depth;
            }
        }
        return rows;
    }
    /// Returns the edges by level; edges of one level keep their order.
    constexpr owned_array<forest_row> by_level(const owned_array<forest_row>& rows) const {
        owned_array<std::int64_t> next(depth + 1);
        for (const forest_row& row : rows) ++next[row.level + 1];
        for (step_t l = 0; l < depth; ++l) next[l + 1] += next[l];
        owned_array<forest_row> sorted(rows.size());
        for (const forest_row& row : rows) sorted[next[row.level]++] = row;
        return sorted;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
