#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/core/detail/place_parts.hpp"
#include "collsched/core/detail/rank_interval.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

namespace detail {

/// interval_halving with ranks and blocks numbered by place (interval_order). Every message has consecutive blocks.
///
/// Before step k each place holds its part of depth k (place_parts). The interval of place v alternates between its two
/// halves, so the part that v holds after the step contains the part before it, and all that v lacks is at the places
/// v - 2^k and v + 2^k.
///
/// All functions are O(1).
struct interval_halving_by_place {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{
        .collective = collective::allgather, .name = "interval-halving-by-place", .rounds = "ceil(log2 p)"};

    constexpr step_t steps() const { return ceil_log2(ranks); }
    constexpr step_range active(rank_t v) const {
        const step_t last = steps() - 1;
        return {0, last > 0 && parts().interval_size(v, last) == 1 ? last - 1 : last};
    }

    constexpr void targets(rank_t v, step_t k, auto f) const {
        peers(v, k, [&](rank_t peer) {
            if (shared(v, peer, k).count > 0) f(peer);
        });
    }
    constexpr void sources(rank_t v, step_t k, auto f) const {
        peers(v, k, [&](rank_t peer) {
            if (shared(peer, v, k).count > 0) f(peer);
        });
    }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const { f(shared(src, dst, k)); }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const interval_halving_by_place&) const = default;

  private:
    constexpr void peers(rank_t v, step_t k, auto f) const {
        const rank_t distance = rank_t{1} << k;
        if (v >= distance) f(v - distance);
        if (v < ranks - distance) f(v + distance);
    }
    /// Returns the blocks that place `src` holds before step k and place `dst` after it.
    constexpr block_interval shared(rank_t src, rank_t dst, step_t k) const {
        return parts().shared(src, k, dst, k + 1);
    }
    constexpr collsched::detail::place_parts parts() const { return {ranks}; }
};

}  // namespace detail

/// Blocks spread down the canonical tree of rank intervals (rank_interval). Each block has one holder in each interval,
/// at first its own rank in 0 .. p-1. In step k the holder in an interval of depth k sends the block to the holder in
/// the other half of that interval. All ranks of an interval hold equally many blocks, up to one. With equal halves,
/// each rank exchanges with one rank of the other half.
///
/// The reverse combines the results of the lower half and of the upper half of each interval, in this order. So the
/// result of every block is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rounds ceil(log2 p) for every p. Every rank receives p-1 blocks. It sends p-1 if p is a power of two, else at most
/// 3/2 (p-1), with at most two messages per rank in each round. The blocks of a message have consecutive places in
/// interval_order, so most are not adjacent. No scratch. Time O(log p + blocks) per message.
/// Source: Thakur, Rabenseifner, Gropp 2005 for powers of two.
struct interval_halving {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "interval-halving",
                                         .rounds = "ceil(log2 p)",
                                         .source = "Thakur, Rabenseifner, Gropp 2005, for powers of two"};

    constexpr step_t steps() const { return by_place().steps(); }
    constexpr step_range active(rank_t r) const { return by_place().active(order().virtual_rank(r)); }
    /// Returns whether the reverse of this allgather combines operands in rank order.
    static constexpr bool reverse_keeps_order() { return true; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        by_place().targets(order().virtual_rank(r), k, [&](rank_t v) { f(order().rank(v)); });
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        by_place().sources(order().virtual_rank(r), k, [&](rank_t v) { f(order().rank(v)); });
    }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        block_interval run;
        const auto add = [&](rank_t next) {
            if (next > run.first + run.count) {
                if (run.count > 0) f(static_cast<const block_interval&>(run));
                run = {next, 0};
            }
            ++run.count;
        };
        by_place().message(order().virtual_rank(src), order().virtual_rank(dst), k, [&](block_interval places) {
            order().visit(places.first, places.first + places.count, add);
        });
        if (run.count > 0) f(static_cast<const block_interval&>(run));
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const interval_halving&) const = default;

  private:
    constexpr collsched::detail::interval_order order() const { return {ranks}; }
    constexpr detail::interval_halving_by_place by_place() const { return {.ranks = ranks}; }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
