#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/core/rank_interval.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// Halves of the intervals of the canonical tree (rank_interval) exchange their results, the smallest intervals first.
/// Rank i of one half exchanges with rank i of the other. If the lower half has one rank more, its last rank receives
/// from the last rank of the upper half. Each rank combines the result of the lower half and that of the upper half, in
/// this order. So the result is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rounds ceil(log2 p) for every p, the minimum. A rank receives one message of m bytes per round, and sends at most
/// two: m ceil(log2 p) bytes if p is a power of two, else less than 2 m ceil(log2 p). Keeps the order of operands, with
/// the same bits on all ranks. Step 0 copies `input` to `output`, the accumulator. No scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005 for powers of two.
struct interval_doubling {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{.collective = collective::allreduce,
                                         .name = "interval-doubling",
                                         .rounds = "ceil(log2 p)",
                                         .source = "Thakur, Rabenseifner, Gropp 2005, for powers of two"};

    constexpr step_t steps() const { return 1 + ceil_log2(ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        const rank_interval whole = merged(r, k);
        if (whole.size == 1) return;
        const rank_interval own = whole.half_with(r), other = whole.half_without(r);
        const rank_t i = r - own.first;
        if (i < other.size) f(other.first + i);
        if (i == own.size - 1 && own.size < other.size) f(other.first + own.size);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        const rank_interval whole = merged(r, k);
        if (whole.size == 1) return;
        const rank_interval other = whole.half_without(r);
        const rank_t i = r - whole.half_with(r).first;
        f(other.first + (i < other.size ? i : other.size - 1));
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t, auto f) const {
        f(edge{.size = bytes,
               .from = buffer::output,
               .into = buffer::output,
               .action = src < dst ? action::combine_before : action::combine_after});
    }
    constexpr void local(rank_t, step_t k, auto f) const {
        if (k == 0) f(edge{.size = bytes});
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("bytes", self.bytes);
        f("element", self.element);
    }
    bool operator==(const interval_doubling&) const = default;

  private:
    /// Returns the interval around rank r whose halves exchange in step k; r alone if there is none.
    constexpr rank_interval merged(rank_t r, step_t k) const {
        return k == 0 ? rank_interval{r, 1} : rank_interval::at(ranks, r, ceil_log2(ranks) - k);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
