#pragma once

#include "collsched/collective/broadcast/detail/whole_store.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/core/detail/rank_interval.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

/// Broadcast down the canonical tree of rank intervals (rank_interval). In step k the rank that has the message in an
/// interval of depth k sends it to the first rank of the other half; at first that is the root in 0 .. p-1.
///
/// The reverse combines the results of the lower half and of the upper half of each interval, in this order, for every
/// root. So its result is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rounds ceil(log2 p). Every rank but the root receives m bytes once; the root sends at most m ceil(log2 p). No
/// scratch. A binomial tree if p is a power of two and the root is 0.
/// Source: Thakur, Rabenseifner, Gropp 2005 for powers of two.
struct interval_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{.collective = collective::broadcast,
                                         .name = "interval-tree",
                                         .rounds = "ceil(log2 p)",
                                         .source = "Thakur, Rabenseifner, Gropp 2005, for powers of two"};

    constexpr detail::whole_store store() const { return {bytes, 1, ranks, root}; }
    constexpr step_t steps() const { return ceil_log2(ranks); }
    /// Returns whether the reverse of this broadcast combines operands in rank order: for every root.
    static constexpr bool reverse_keeps_order() { return true; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        const auto interval = collsched::detail::rank_interval::at(ranks, r, k);
        if (interval.size > 1 && holder(interval) == r) f(interval.half_without(r).first);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        const auto interval = collsched::detail::rank_interval::at(ranks, r, k);
        if (interval.size == 1) return;
        const rank_t sender = holder(interval);
        if (interval.half_without(sender).first == r) f(sender);
    }
    constexpr void message(rank_t, rank_t, step_t, auto f) const { f(block_interval{0, 1}); }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const interval_tree&) const = default;

  private:
    /// Returns the rank that has the message in an interval of the canonical tree: the root, or the first rank.
    constexpr rank_t holder(const collsched::detail::rank_interval& interval) const {
        return interval.contains(root) ? root : interval.first;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
