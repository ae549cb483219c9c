#pragma once

#include "collsched/collective/broadcast/detail/forest_pipeline.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

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
        return {contract_of(*this), forest, segment, window, collsched::detail::check_parameters(*this)};
    }
    constexpr argument_error check() const {
        return broadcast::detail::check_roots(forest, ranks, [this](rank_t r) { return block.count(r) > 0; });
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("block", self.block);
        f("element", self.element);
        f("segment", self.segment);
        f("window", self.window);
        f("forest", self.forest);
    }
    bool operator==(const over_forest&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
