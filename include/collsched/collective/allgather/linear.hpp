#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Rank r sends its block to r+1, r+2, ... and receives from r-1, r-2, ..., without waiting unless a window is given.
///
/// Rounds p-1; every rank sends and receives p-1 blocks, in p-1 messages of one block. No scratch. With a window w a
/// rank begins step k when all its messages of steps <= k-w are complete.
/// Source: folklore ("direct", "spread").
struct linear {
    rank_t ranks = 1;
    block_layout block = 0;
    step_t window = 0;

    static constexpr algorithm_info info{
        .collective = collective::allgather, .name = "linear", .rounds = "p-1", .source = "folklore"};

    constexpr step_t steps() const { return ranks - 1; }

    constexpr void targets(rank_t r, step_t k, auto f) const { f(wrap(r + k + 1, ranks)); }
    constexpr void sources(rank_t r, step_t k, auto f) const { f(wrap(r - k - 1, ranks)); }
    constexpr void message(rank_t src, rank_t, step_t, auto f) const { f(block_interval{src, 1}); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("window", self.window);
    }
    bool operator==(const linear&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
