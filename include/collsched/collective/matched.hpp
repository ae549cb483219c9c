#pragma once

#include "collsched/collective/broadcast/detail/forest_pipeline.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/tree/planned_forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace allgather {

/// Allgather by transfers that were matched to the links of a network, for messages in which latency counts. The block of
/// each rank is cut into as many parts as the plan has. Elements are not split: of a block of n elements, part i of c
/// begins at floor(n i / c).
///
/// The step of a transfer is 1 + the largest step of the transfer that brought its part to the sender, and of the
/// transfers before it on each link of its path; 0 without any of them. So a link carries one part per step, and the order
/// of the parts on each link is that of the plan. A part without elements is not sent.
///
/// Rounds at most 1 + the largest step. Every rank receives every part of the other blocks once. No scratch. With a window
/// w a rank begins step k when its steps up to k-w are complete; 0: no such limit.
///
/// O(ranks^2 parts + hops log hops) to make the schedule if a part has no elements, else O(ranks parts); then O(log
/// transfers + own edges) per step.
/// Source: Won et al. 2024, "TACOS: topology-aware collective algorithm synthesizer for distributed machine learning".
struct matched {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;
    step_t window = 0;
    trees::planned_transfers transfers{};

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "matched",
                                         .rounds = "1+largest step",
                                         .source = "Won et al. 2024"};

    constexpr broadcast::detail::forest_pipeline<trees::planned_transfers> view() const {
        return {contract_of(*this), transfers, 0, window, check_parameters(*this)};
    }
    constexpr argument_error check() const { return transfers.check(ranks); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("window", self.window);
        f("transfers", self.transfers);
    }
    bool operator==(const matched&) const = default;
};

}  // namespace allgather

namespace reduce_scatter {

/// Reduce_scatter by transfers that were matched to the links of a network: the operands of each part of a block are
/// combined on their way to the rank that owns the block. The reverse of allgather::matched, with combination.
///
/// Rounds are those of the allgather, in the opposite order. Every rank sends every part of the other blocks once.
/// Messages go from `to` to `from` of a transfer, so the plan has to suit the network with all links reversed. Reorders
/// the operands: commutative operations only. Every rank has all blocks as scratch.
/// Source: Won et al. 2024.
using matched = reversed<allgather::matched>;

}  // namespace reduce_scatter

}}  // namespace collsched::COLLSCHED_ABI
