#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Rank r collects the blocks r, r+1, ... over the skips s_0 = 1, ..., s_q = p with s_k = ceil(s_{k+1} / 2). In step k
/// it sends the first s_{k+1} - s_k of its s_k blocks to r - s_k, and receives as many from r + s_k. Every block is
/// received at its place in `output`.
///
/// Rounds q = ceil(log2 p) for every p; every rank sends and receives p-1 blocks, in q messages. Both numbers are
/// optimal. No scratch.
/// Source: Traeff 2024, "Optimal, non-pipelined reduce-scatter and allreduce algorithms".
struct circulant {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{
        .collective = collective::allgather, .name = "circulant", .rounds = "ceil(log2 p)", .source = "Traeff 2024"};

    constexpr step_t steps() const { return ceil_log2(ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const { f(wrap(r - skip(k), ranks)); }
    constexpr void sources(rank_t r, step_t k, auto f) const { f(wrap(r + skip(k), ranks)); }
    constexpr void message(rank_t src, rank_t, step_t k, auto f) const {
        f(block_interval{src, skip(k + 1) - skip(k)});
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const circulant&) const = default;

  private:
    /// s_k = ceil(p / 2^(q-k)), since j halvings that round up equal a division by 2^j that rounds up once.
    constexpr rank_t skip(step_t k) const { return ((ranks - 1) >> (steps() - k)) + 1; }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
