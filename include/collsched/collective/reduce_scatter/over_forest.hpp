#pragma once

#include "collsched/collective/allgather/over_forest.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Reduce_scatter over the trees of a forest: the operands of each part of a block are combined up its tree to the rank
/// that owns the block. The reverse of allgather::over_forest, with combination.
///
/// Rounds and segments are those of the allgather. Every rank sends every other block once, and receives, per tree, the
/// piece from each child. Messages go from `to` to `from` of an edge, so the forest has to suit the network with all
/// links reversed. Reorders the operands: commutative operations only. Every rank has all blocks as scratch.
/// Source: Zhao et al. 2024.
struct over_forest {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    step_t window = 1;
    trees::planned_forest forest{};

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::over_forest>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::over_forest{.ranks = ranks,
                                                                       .block = block,
                                                                       .element = element,
                                                                       .segment = segment,
                                                                       .window = window,
                                                                       .forest = forest});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::over_forest>(self, f);
    }
    bool operator==(const over_forest&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
