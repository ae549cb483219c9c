#pragma once

#include "collsched/collective/allgather/matched.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Reduce_scatter by transfers that were matched to the links of a network: the operands of each part of a block are
/// combined on their way to the rank that owns the block. The reverse of allgather::matched, with combination.
///
/// Rounds are those of the allgather, in the opposite order. Every rank sends every part of the other blocks once.
/// Messages go from `to` to `from` of a transfer, so the plan has to suit the network with all links reversed. Reorders
/// the operands: commutative operations only. Every rank has all blocks as scratch.
/// Source: Won et al. 2024.
struct matched {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;
    step_t window = 0;
    trees::planned_transfers transfers{};

    static constexpr algorithm_info info = collsched::detail::reversed_info<allgather::matched>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::matched{
            .ranks = ranks, .block = block, .element = element, .window = window, .transfers = transfers});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::matched>(self, f);
    }
    bool operator==(const matched&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
