#pragma once

#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/alltoall/grouping.hpp"
#include "collsched/combine/relabel.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

/// Grouped communication: one group of `group` ranks, consecutive in the ready order, sends at a time, each rank to its
/// own set of targets. A step is a sub-round of the grouping. The default order is ascending.
///
/// Steps p. Rounds p, or p-1 if all ranks form one group, whose last sub-round consists of copies (fewer with empty
/// blocks). Every rank sends and receives all bytes but its own, in p-1 messages. It copies its own block when its own
/// set contains it. In a step at most `group` ranks send and no rank receives two messages. In a group of a ranks each
/// sends ceil(p / a) at most. If p is not a multiple of group, the last group is smaller. No scratch. Pacing window 1.
/// Source: Chen, Na 2005, Algorithm 2.
struct grouped {
    rank_t ranks = 1;
    block_matrix block = 0;
    rank_t group = 1;     ///< ranks per group, 1 .. ranks
    permutation order{};  ///< rank at every position of the ready order; default: ascending
    step_t window = 1;

    static constexpr algorithm_info info{.collective = collective::alltoall,
                                         .name = "grouped",
                                         .rounds = "p, or p-1 in one group",
                                         .source = "Chen, Na 2005",
                                         .window = 1};

    /// Returns the grouping, whose positions are those of `order`.
    constexpr grouping groups() const { return {ranks, group}; }
    constexpr detail::one_hop_store store() const { return {block, ranks, false}; }
    constexpr step_t steps() const { return groups().steps(); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        // Without an order positions are ranks, and trailing ranks with empty blocks can be omitted.
        const rank_t end = order == permutation{} ? block.filled_end(ranks) : ranks;
        groups().targets_below(order.virtual_rank(r), k, end, [&](rank_t v) { f(order.rank(v)); });
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (const rank_t src = order.rank(groups().source(order.virtual_rank(r), k)); src != r) f(src);
    }
    constexpr void message(rank_t, rank_t dst, step_t, auto f) const { f(block_interval{dst, 1}); }
    constexpr argument_error check() const {
        if (argument_error error = groups().check()) return error;
        return order.check(ranks);
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("group", self.group);
        f("order", self.order);
        f("window", self.window);
    }
    bool operator==(const grouped&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
