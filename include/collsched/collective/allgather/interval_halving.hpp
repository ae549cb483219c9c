#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/core/rank_interval.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Blocks spread down the canonical tree of rank intervals (rank_interval). Each block has one holder in each interval,
/// at first its own rank in 0 .. p-1. In step k the holder in an interval of depth k sends the block to the holder in
/// the other half of that interval.
///
/// Holders are chosen by position, so that all ranks of an interval hold equally many blocks: a block has a position in
/// 0 <= x < s within a half of s ranks, and its holder is floor(x). Its position in the other half, of s' ranks, is x
/// s'/s. With equal halves, rank i of one exchanges with rank i of the other.
///
/// The reverse combines the results of the lower half and of the upper half of each interval, in this order. So the
/// result of every block is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rounds ceil(log2 p) for every p. Every rank receives p-1 blocks. It sends p-1 if p is a power of two, else up to 2p,
/// with at most two messages per rank in each round; most blocks are not adjacent. No scratch. Time O(log p + blocks)
/// per message.
/// Source: Thakur, Rabenseifner, Gropp 2005 for powers of two.
struct interval_halving {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "interval-halving",
                                         .rounds = "ceil(log2 p)",
                                         .source = "Thakur, Rabenseifner, Gropp 2005, for powers of two"};

    constexpr step_t steps() const { return ceil_log2(ranks); }
    constexpr step_range active(rank_t r) const { return {0, rank_interval::depth_of(ranks, r) - 1}; }
    /// Returns whether the reverse of this allgather combines operands in rank order.
    constexpr bool reverse_keeps_order() const { return true; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        const rank_interval whole = rank_interval::at(ranks, r, k);
        if (whole.size == 1) return;
        const rank_interval own = whole.half_with(r), other = whole.half_without(r);
        const rank_t i = r - own.first, last = moved(start(i + 1) - 1, own.size, other.size) >> fraction_bits();
        for (rank_t j = moved(start(i), own.size, other.size) >> fraction_bits(); j <= last; ++j) f(other.first + j);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        const rank_interval whole = rank_interval::at(ranks, r, k);
        if (whole.size == 1) return;
        const rank_interval own = whole.half_with(r), other = whole.half_without(r);
        const rank_t j = r - own.first, end = origin(start(j + 1), other.size, own.size);
        const rank_t first = origin(start(j), other.size, own.size) >> fraction_bits();
        for (rank_t i = first; start(i) < end; ++i) f(other.first + i);
    }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        const rank_interval whole = rank_interval::at(ranks, src, k);
        const rank_interval own = whole.half_with(src), other = whole.half_without(src);
        const rank_t i = src - own.first, j = dst - other.first;
        const std::int64_t first = origin(start(j), own.size, other.size),
                           end = origin(start(j + 1), own.size, other.size);
        emit(whole, k,
             {start(own.first - whole.first) + (first > start(i) ? first : start(i)),
              start(own.first - whole.first) + (end < start(i + 1) ? end : start(i + 1))},
             f);
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("block", self.block);
    }
    bool operator==(const interval_halving&) const = default;

  private:
    /// Positions first .. end-1 within an interval, in units of 2^-fraction_bits() ranks.
    struct positions {
        std::int64_t first, end;
    };

    constexpr int fraction_bits() const {
        const int free_bits = 61 - ceil_log2(ranks);
        return free_bits < 0 ? 0 : free_bits < 30 ? free_bits : 30;
    }
    /// Returns the first position of rank i of an interval.
    constexpr std::int64_t start(rank_t i) const { return i << fraction_bits(); }
    /// Returns the position of block b in the interval of all ranks. The fraction grows with b, so that blocks in a
    /// small interval have different fractions.
    constexpr std::int64_t position(rank_t b) const { return start(b) + start(b) / ranks; }

    /// Returns floor(x to / from): a position in a half of `from` ranks, moved to the half of `to` ranks.
    static constexpr std::int64_t moved(std::int64_t x, rank_t from, rank_t to) {
        if (from == to) return x;
        return from < to ? x + x / from : x - (x + (from - 1)) / from;
    }
    /// Returns the first position in a half of `from` ranks that moves to x or more in the half of `to` ranks.
    static constexpr std::int64_t origin(std::int64_t x, rank_t from, rank_t to) {
        if (from == to) return x;
        return from > to ? x + (x + (to - 1)) / to : x - x / to;
    }

    /// Calls f for the blocks at some positions in an interval of this depth, in ascending order.
    constexpr void emit(const rank_interval& interval, step_t depth, positions at, auto& f) const {
        if (at.first >= at.end) return;
        if (depth == 0) return emit_blocks(at, f);
        const rank_interval whole = rank_interval::at(ranks, interval.first, depth - 1);
        if (whole.size == interval.size) return emit(whole, depth - 1, at, f);
        const rank_interval other = whole.half_without(interval.first);
        const std::int64_t here = start(interval.first - whole.first), there = start(other.first - whole.first);
        const positions kept{here + at.first, here + at.end};
        const positions received{there + origin(at.first, other.size, interval.size),
                                 there + origin(at.end, other.size, interval.size)};
        emit(whole, depth - 1, here < there ? kept : received, f);
        emit(whole, depth - 1, here < there ? received : kept, f);
    }
    constexpr void emit_blocks(positions at, auto& f) const {
        rank_t first = at.first >> fraction_bits();
        if (position(first) < at.first) ++first;
        rank_t end = first;
        while (end < ranks && position(end) < at.end) ++end;
        if (end > first) f(block_interval{first, end - first});
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
