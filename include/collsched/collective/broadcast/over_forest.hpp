#pragma once

#include "collsched/collective/broadcast/detail/forest_pipeline.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

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
        return {contract_of(*this), forest, segment, window, collsched::detail::check_parameters(*this)};
    }
    constexpr argument_error check() const {
        return detail::check_roots(forest, ranks, [this](rank_t r) { return r == root && bytes > 0; });
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("root", self.root);
        f("bytes", self.bytes);
        f("element", self.element);
        f("segment", self.segment);
        f("window", self.window);
        f("forest", self.forest);
    }
    bool operator==(const over_forest&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
