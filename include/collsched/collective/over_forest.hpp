#pragma once

#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/broadcast/detail/forest_pipeline.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Calls f(name, member) for the parameters of an algorithm over a forest.
constexpr void forest_parameters(auto& self, auto& f) {
    contract_parameters(self, f);
    f("segment", self.segment);
    f("window", self.window);
    f("forest", self.forest);
}

}  // namespace detail

namespace allgather {

/// Allgather over the trees of a forest: the block of each rank is cut in proportion to the weights of its trees, and
/// each tree carries its piece to all ranks. Elements are not split: of a block of n elements, the first trees of
/// weight w together carry floor(n w / total).
///
/// Every piece is cut into the same number S of segments, so that those of the largest piece have at most `segment`
/// bytes (0: S = 1). In step k a rank sends segment k - l of every tree in which it is l steps from the root. An edge
/// takes as many steps as its path has links, at least 2. So each link carries the same part of every piece per step,
/// the trees use it in proportion to their weights, and no step waits for the latency of the one before. Segments of a
/// tree of smaller weight are smaller.
///
/// Steps S - 1 + d, of which at most as many are rounds; d - 1 is the largest number of steps from a root to a rank that
/// sends. Every rank receives every other block once. It sends, per tree, its piece once to each child. No scratch. With
/// a window w a rank begins step k when its steps up to k-w-h+1 are complete, where h is the largest number of steps of
/// an edge. Window 1 thus keeps all trees at the same step. Without a window (0) a root sends all its segments at once,
/// ahead of those of other roots, and links do not share their bandwidth in proportion to the weights.
///
/// A rank without bytes need not have trees. O(ranks + trees) to make the schedule, and O(ranks + edges of the forest)
/// if a tree has no elements; then O(log edges + own edges) per step.
/// Source: Zhao et al. 2024, "ForestColl: throughput-optimal collective communications on heterogeneous network
/// fabrics".
struct over_forest {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    step_t window = 1;
    trees::planned_forest forest{};

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "forest",
                                         .rounds = "S-1+depth",
                                         .source = "Zhao et al. 2024",
                                         .window = 1};

    constexpr broadcast::detail::forest_pipeline<trees::planned_forest> view() const {
        return {contract_of(*this), forest, segment, window, check_parameters(*this)};
    }
    constexpr argument_error check() const {
        return broadcast::detail::check_roots(forest, ranks, [this](rank_t r) { return block.count(r) > 0; });
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::forest_parameters(self, f); }
    bool operator==(const over_forest&) const = default;
};

}  // namespace allgather

namespace broadcast {

/// Broadcast over the trees of a root in a forest: the message is cut in proportion to the weights of these trees, and
/// each tree carries its piece to all ranks. Pieces, segments, steps and window are those of allgather::over_forest for
/// the one block of the root.
///
/// Steps S - 1 + d for S segments, of which at most as many are rounds; d - 1 is the largest number of steps from the
/// root to a rank that sends. Every rank but the root receives all bytes once. It sends, per
/// tree, its piece once to each child. No scratch. Trees of other roots are not used.
///
/// O(ranks + edges of the forest) to make the schedule; then O(log edges + own edges) per step.
/// Source: Zhao et al. 2024; Edmonds 1972, "Edge-disjoint branchings".
struct over_forest {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    step_t window = 1;
    trees::planned_forest forest{};

    static constexpr algorithm_info info{.collective = collective::broadcast,
                                         .name = "forest",
                                         .rounds = "S-1+depth",
                                         .source = "Zhao et al. 2024",
                                         .window = 1};

    constexpr detail::forest_pipeline<trees::planned_forest> view() const {
        return {contract_of(*this), forest, segment, window, check_parameters(*this)};
    }
    constexpr argument_error check() const {
        return detail::check_roots(forest, ranks, [this](rank_t r) { return r == root && bytes > 0; });
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::forest_parameters(self, f); }
    bool operator==(const over_forest&) const = default;
};

}  // namespace broadcast

namespace reduce {

/// Reduce over the trees of a root in a forest: the operands of each part of the message are combined up its tree. The
/// reverse of broadcast::over_forest, with combination.
///
/// Rounds and segments are those of the broadcast. Every rank but the root sends all bytes once, and has as much
/// scratch. Messages go from `to` to `from` of an edge, so the forest has to suit the network with all links reversed.
/// Reorders the operands: commutative operations only.
/// Source: Zhao et al. 2024.
using over_forest = reversed<broadcast::over_forest>;

}  // namespace reduce

namespace reduce_scatter {

/// Reduce_scatter over the trees of a forest: the operands of each part of a block are combined up its tree to the rank
/// that owns the block. The reverse of allgather::over_forest, with combination.
///
/// Rounds and segments are those of the allgather. Every rank sends every other block once, and receives, per tree, the
/// piece from each child. Messages go from `to` to `from` of an edge, so the forest has to suit the network with all
/// links reversed. Reorders the operands: commutative operations only. Every rank has all blocks as scratch.
/// Source: Zhao et al. 2024.
using over_forest = reversed<allgather::over_forest>;

}  // namespace reduce_scatter

namespace allreduce {

/// Allreduce over the trees of forests: reduce_scatter::over_forest of p parts of the message, then
/// allgather::over_forest of the results.
///
/// The operands go up the trees of `reversed_forest`, which is packed for the network with all links reversed, and the
/// results go down those of `forest`. Both cut the parts of the message in proportion to the weights of their own trees.
/// Without `reversed_forest` the operands go up the trees of `forest`, which has to suit the network in both directions
/// of its links.
///
/// Rounds and messages are the sums of those of both collectives. Every rank sends the bytes that it receives in the
/// allgather over `reversed_forest` and those that it sends in the one over `forest`. No scratch. Commutative operations
/// only. Window w is that of both, for the longer one of their longest paths.
/// Source: Zhao et al. 2024.
struct over_forest {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    step_t window = 1;
    trees::planned_forest forest{};
    trees::planned_forest reversed_forest{};

    static constexpr algorithm_info info = by_reversal<allgather::over_forest>::info;

    constexpr auto view() const {
        const bool both_ways = reversed_forest.value().trees.empty() && !reversed_forest.check(reversed_forest.ranks());
        const trees::planned_forest& up = both_ways ? forest : reversed_forest;
        const step_t of_up = up.hops()->longest, of_down = forest.hops()->longest;
        const step_t longest = of_up > of_down ? of_up : of_down;
        const auto half = [this](const trees::planned_forest& trees, step_t more) {
            return allgather::over_forest{
                .segment = segment, .window = window > 0 ? window + more : window, .forest = trees};
        };
        return detail::reverse_then(half(up, longest - of_up), half(forest, longest - of_down), contract_of(*this));
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::forest_parameters(self, f);
        f("reversed_forest", self.reversed_forest);
    }
    bool operator==(const over_forest&) const = default;
};

}  // namespace allreduce

}}  // namespace collsched::COLLSCHED_ABI
