#pragma once

#include "collsched/combine/reverse.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/detail/block_store.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace gather {

namespace detail {

/// Every rank sends its own block from `input`. The root receives each block at its displacement.
struct at_displacements {
    block_layout blocks;
    rank_t ranks, root;

    constexpr rank_t block_count() const { return ranks; }
    constexpr step_t steps(step_t message_steps) const {
        return message_steps == 0 && blocks.count(root) > 0 ? 1 : message_steps;
    }
    constexpr step_range copy_steps(rank_t r, step_t) const { return r == root ? step_range{0, 0} : step_range{}; }
    static constexpr bool scratchless = true;
    constexpr bytes_t scratch(rank_t) const { return 0; }

    constexpr collsched::detail::run_cursor read(rank_t r, step_t, block_interval) const {
        return {buffer::input, {0, blocks.count(r)}};
    }
    constexpr collsched::detail::run_cursor write(rank_t, block_interval arriving) const {
        return {buffer::output, blocks, ranks, arriving};
    }
    constexpr void copies(rank_t r, step_t k, step_t, auto f) const {
        if (r == root && k == 0)
            f(collsched::detail::run_cursor(buffer::input, {0, blocks.count(r)}), write(r, {r, 1}));
    }
};

/// The root receives from one rank per step, in ascending relative rank, or (Backwards) in descending relative rank,
/// whose reverse is a scatter in ascending order. Ranks with empty blocks take no step.
///
/// Rounds p-1 (fewer with empty blocks). The root receives all bytes but its own, in p-1 messages over p-1 connections,
/// at their places. Only its own block is copied. Pacing window 1: messages do not overlap.
template <bool Backwards>
struct linear_in_turn {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::gather,
                                         .name = "linear",
                                         .rounds = "p-1, less the ranks without bytes",
                                         .source = "folklore",
                                         .window = 1,
                                         .variant = Backwards};

    constexpr at_displacements store() const { return {block, ranks, root}; }
    constexpr step_t steps() const { return block.filled(ranks) - (block.count(root) > 0 ? 1 : 0); }
    constexpr step_range active(rank_t r) const {
        if (r == root) return {0, steps() - 1};
        return block.count(r) > 0 ? step_range{turn(r), turn(r)} : step_range{};
    }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (r != root && block.count(r) > 0 && turn(r) == k) f(root);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (r == root) f(sender(k));
    }
    constexpr void message(rank_t src, rank_t, step_t, auto f) const { f(block_interval{src, 1}); }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const linear_in_turn&) const = default;

  private:
    /// Returns the number of ranks with nonempty blocks between the root and r, in cyclic order.
    constexpr step_t place(rank_t r) const {
        const rank_t after_root = block.filled(root + 1);
        return r > root ? block.filled(r) - after_root : block.filled(ranks) - after_root + block.filled(r);
    }
    constexpr step_t turn(rank_t r) const { return Backwards ? steps() - 1 - place(r) : place(r); }
    /// Returns the sender of step k.
    constexpr rank_t sender(step_t k) const {
        const rank_t position = block.filled(root + 1) + (Backwards ? steps() - 1 - k : k);
        return position < block.filled(ranks) ? block.nth_filled(position)
                                              : block.nth_filled(position - block.filled(ranks));
    }
};

}  // namespace detail

/// The root receives one block per step, in ascending relative rank. Ranks with empty blocks take no step.
///
/// Rounds p-1 (fewer with empty blocks). The root receives all bytes but its own, in p-1 messages, at their places.
/// Only its own block is copied. No scratch. Pacing window 1: messages do not overlap.
/// Source: folklore.
using linear = detail::linear_in_turn<false>;

}}}  // namespace collsched::COLLSCHED_ABI::gather

namespace collsched { inline namespace COLLSCHED_ABI { namespace scatter {

/// The root sends one block per step, in ascending relative rank: the reverse of a linear gather, with the same rounds
/// and bytes. No scratch.
using linear = reversed<gather::detail::linear_in_turn<true>>;

}}}  // namespace collsched::COLLSCHED_ABI::scatter
