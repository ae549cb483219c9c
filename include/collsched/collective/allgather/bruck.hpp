#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched::allgather {

/// Concatenation with doubling distances: in step k rank r sends the first min(2^k, p - 2^k) of the blocks r, r+1, ...
/// that it has collected to r - 2^k. Blocks are collected in scratch (p blocks) and put in rank order by local copies in
/// a last step without messages.
///
/// Rounds ceil(log2 p); every rank sends and receives p-1 blocks and copies p+1 of them (p = 1: one).
/// ALCD: sum over k < ceil(log2 p) of 2 * 2^k * (p - 2^k), divided by p * ceil(log2 p).
/// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997; Chen et al. 2006, section 2.3.
struct bruck {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{
        .what = collective::allgather, .name = "bruck", .rounds = "ceil(log2 p)", .source = "Bruck et al. 1997"};

    constexpr rotated_store store() const { return {block, ranks}; }
    constexpr step_t steps() const { return ceil_log2(ranks); }

    template <class F>
    constexpr void targets(rank_t r, step_t k, F f) const {
        f(wrap(r - distance(k), ranks));
    }
    template <class F>
    constexpr void sources(rank_t r, step_t k, F f) const {
        f(wrap(r + distance(k), ranks));
    }
    template <class F>
    constexpr void message(rank_t src, rank_t, step_t k, F f) const {
        const rank_t held = distance(k), missing = ranks - held;
        f(block_interval{src, held < missing ? held : missing});
    }

    template <class Self, class F>
    static constexpr void parameters(Self& self, F f) {
        f("ranks", self.ranks);
        f("block", self.block);
    }
    bool operator==(const bruck&) const = default;

  private:
    static constexpr rank_t distance(step_t k) { return rank_t{1} << k; }
};

}  // namespace collsched::allgather
