#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/core/detail/cyclic_progression.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Parallel aggregated trees. The block of every rank o is broadcast down a binomial tree over the ranks o + s, s = 0
/// .. p-1, in which the parent of s is s without its lowest bit. All trees use the same edge in the same step, and A =
/// aggregate congruent edges of a tree share a step. With P = 2^ceil(log2 p) and D = P / A, the first log2 A steps use
/// the edges to the multiples of D, in order of decreasing distance. Then for each s < D, in preorder with distant
/// children first, one step uses the edges to s, s + D, s + 2D, ...
///
/// Rounds log2 A + min(p, D) - 1: p-1 for A = 1, ceil(log2 p) for A = P/2 or more; every rank sends and receives p-1
/// blocks, at most A per message. A is a power of two. No scratch.
/// Source: Jeaugey 2025, "PAT"; NCCL.
struct pat {
    rank_t ranks = 1;
    block_layout block = 0;
    rank_t aggregate = 4;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "pat",
                                         .rounds = "log2 A + min(p, 2^ceil(log2 p)/A) - 1",
                                         .source = "Jeaugey 2025"};

    constexpr argument_error check() const {
        return is_power_of_two(aggregate) ? argument_error{} : argument_error{"aggregate", aggregate, "a power of two"};
    }
    constexpr step_t steps() const { return spreading() + low_ranks() - 1; }

    constexpr void targets(rank_t r, step_t k, auto f) const { f(wrap(r + hop(first_child(k)), ranks)); }
    constexpr void sources(rank_t r, step_t k, auto f) const { f(wrap(r - hop(first_child(k)), ranks)); }
    constexpr void message(rank_t, rank_t dst, step_t k, auto f) const {
        const rank_t s = first_child(k), least = distance(), stride = s < least ? least : 2 * s;
        for (rank_t child = s; child < ranks; child += stride) f(block_interval{wrap(dst - child, ranks), 1});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("aggregate", self.aggregate);
    }
    bool operator==(const pat&) const = default;

  private:
    /// Returns log2 A. An A above P counts as P.
    constexpr step_t spreading() const {
        return aggregate < ranks ? floor_log2(aggregate > 0 ? aggregate : 1) : ceil_log2(ranks);
    }
    constexpr rank_t distance() const { return rank_t{1} << (ceil_log2(ranks) - spreading()); }
    constexpr rank_t low_ranks() const { return aggregate > 1 ? distance() : ranks; }
    static constexpr rank_t hop(rank_t s) { return s & -s; }

    /// Returns the smallest s whose edge is used in step k.
    constexpr rank_t first_child(step_t k) const {
        const step_t spread = spreading();
        if (k < spread) return rank_t{1} << (ceil_log2(ranks) - 1 - k);
        const rank_t end = low_ranks();
        rank_t s = 0;
        step_t after = k - spread + 1;  // number of ranks from s on in preorder, whose subtree has 2 * width ranks
        for (rank_t width = distance() / 2; after > 0 && width > 0; width /= 2) {
            const rank_t room = end - s - width, below = room < 0 ? 0 : room < width ? room : width;
            if (after > below) {
                after -= below;
            } else {
                s += width;
                --after;
            }
        }
        return s;
    }
};

/// Simultaneous binomial trees from every rank, in order of decreasing distance. Before the step of distance d rank r
/// holds the blocks r, r - 2d, r - 4d, ... whose distance from r is less than p. It sends to r + d those whose distance
/// is less than p - d. Distances are 2^(q-1), ..., 2, 1, so the largest messages have the shortest distances. Every
/// block is received at its place in `output`.
///
/// Rounds q = ceil(log2 p) for every p; every rank sends and receives p-1 blocks, in q messages. No scratch. Equal to
/// pat with the largest aggregate.
/// Source: Loch, Koslovski 2021, "Sparbit".
struct sparbit {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "sparbit",
                                         .rounds = "ceil(log2 p)",
                                         .source = "Loch, Koslovski 2021"};

    constexpr step_t steps() const { return ceil_log2(ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const { f(wrap(r + distance(k), ranks)); }
    constexpr void sources(rank_t r, step_t k, auto f) const { f(wrap(r - distance(k), ranks)); }
    constexpr void message(rank_t src, rank_t, step_t k, auto f) const {
        const rank_t d = distance(k);
        const collsched::detail::cyclic_progression sent{src, -2 * d, (ranks - d - 1) / (2 * d) + 1};
        sent.for_each_below(block.filled_end(ranks), ranks,
                            [&](rank_t i) { f(block_interval{wrap(src - i * 2 * d, ranks), 1}); });
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const sparbit&) const = default;

  private:
    constexpr rank_t distance(step_t k) const { return rank_t{1} << (steps() - 1 - k); }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
