#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/core/detail/cyclic_progression.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

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
