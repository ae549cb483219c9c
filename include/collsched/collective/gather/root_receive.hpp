#pragma once

#include "collsched/core/block_layout.hpp"
#include "collsched/schedule/detail/block_store.hpp"
#include "collsched/tree/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace gather::detail {

/// Consecutive messages of a source list that are sent to the root as one edge.
struct message_chain {
    block_interval blocks;  ///< from the first to the last message, counted cyclically, including empty ones
    rank_t messages = 0;    ///< number of nonempty blocks
    bytes_t bytes = 0;
    bytes_t displ = 0;        ///< displacement of the first message
    bool continuous = false;  ///< whether the messages are adjacent at the root

    /// Returns whether the chain is received at its final place. Other chains are received in scratch and copied
    /// message by message.
    constexpr bool direct() const { return continuous || messages == 1; }
};

/// Builds chains from the messages of a source list, one message at a time, and passes each complete chain to a
/// function.
template <class F>
class chain_builder {
  public:
    constexpr chain_builder(const block_layout& layout, F& emit) : layout_(layout), emit_(emit) {}

    constexpr void message(rank_t block, rank_t position) {
        if (chain_.messages == 0) return restart(block, position);
        const bool joins = layout_.displ(last_) + layout_.count(last_) == layout_.displ(block);
        if (chain_.messages == 1) {
            chain_.continuous = joins;
        } else if (joins && !chain_.continuous) {
            const rank_t last = last_, last_position = last_position_;
            without_last();
            emit_(chain_);
            restart(last, last_position);
            chain_.continuous = true;
        } else if (!joins && chain_.continuous) {
            emit_(chain_);
            return restart(block, position);
        }
        append(block, position);
    }

    constexpr void finish() {
        if (chain_.messages > 0) emit_(chain_);
    }

  private:
    constexpr void restart(rank_t block, rank_t position) {
        chain_ = {.blocks = {block, 0}, .displ = layout_.displ(block)};
        first_position_ = position;
        append(block, position);
    }
    constexpr void append(rank_t block, rank_t position) {
        before_last_ = chain_.blocks.count;
        chain_.blocks.count = position - first_position_ + 1;
        ++chain_.messages;
        chain_.bytes += layout_.count(block);
        last_ = block;
        last_position_ = position;
    }
    constexpr void without_last() {
        chain_.blocks.count = before_last_;
        --chain_.messages;
        chain_.bytes -= layout_.count(last_);
    }

    const block_layout& layout_;
    F& emit_;
    message_chain chain_;
    rank_t last_ = 0, last_position_ = 0, first_position_ = 0;
    rank_t before_last_ = 0;  // blocks of the chain without its last message
};

/// Calls f for the chains of packed blocks of which only the last may be empty: at most one chain before and one behind
/// the end of the buffer. O(1).
constexpr void packed_chains(const block_layout& layout, rank_t ranks, block_interval list, auto& f) {
    const rank_t filled = layout.filled(ranks), end = list.first + list.count;
    const auto within = [filled](rank_t block) { return block < filled ? block : filled; };
    const rank_t before = within(end < ranks ? end : ranks) - within(list.first);
    const rank_t behind = end < ranks ? 0 : within(end - ranks);
    const auto emit = [&](rank_t first, rank_t blocks, rank_t messages, bool continuous) {
        if (messages > 0)
            f(message_chain{.blocks = {first, blocks},
                            .messages = messages,
                            .bytes = layout.bytes({first, blocks}, ranks),
                            .displ = layout.displ(first),
                            .continuous = continuous && messages > 1});
    };
    if (before == 1 && behind == 1)
        return emit(list.first, ranks - list.first + 1, 2, false);  // the last block, then block 0
    emit(list.first, before, before, true);
    emit(0, behind, behind, true);
}

/// Calls f(message_chain) for the chains of a source list, in its order: the nonempty blocks of a cyclic interval of
/// the p blocks. The first two messages of a chain determine whether it is continuous. A message that would change this
/// ends the chain. If a discontinuous chain ends before a message that is continuous with its last one, that last one
/// moves to the new chain. O(blocks) for irregular layouts, else O(1). Source: Sun et al., message-chain scheduling.
template <class F>
constexpr void for_each_chain(const block_layout& layout, rank_t ranks, block_interval list, F f) {
    if (!layout.irregular()) return detail::packed_chains(layout, ranks, list, f);
    detail::chain_builder<F> chains(layout, f);
    for (rank_t i = 0; i < list.count; ++i) {
        const rank_t block = wrap(list.first + i, ranks);
        if (layout.count(block) > 0) chains.message(block, i);
    }
    chains.finish();
}

}}}  // namespace collsched::COLLSCHED_ABI::gather::detail

namespace collsched { inline namespace COLLSCHED_ABI { namespace gather {

/// The method by which the root of a tree gather receives the blocks of a child's subtree.
enum class root_receive : std::uint8_t {
    direct,   ///< every contiguous run at its place
    instant,  ///< in one piece into scratch, copied to its place one step later; from leaves at its place
    chained,  ///< by message chains: continuous ones at their place, others through scratch
};

namespace detail {

/// Gather over a tree whose subtrees are contiguous. An inner rank stores the bytes of its subtree in scratch: its own
/// block first (copied in step 0), then the others in ascending relative rank. Leaves send from `input` and have no
/// scratch. The root's scratch contains the blocks that root_receive does not receive in place, child after child,
/// without reuse. Locations depend on positions, not on counts.
template <class Tree>
struct tree_store {
    block_layout blocks;
    rank_t ranks, root;
    Tree tree;
    root_receive receive;

    constexpr rank_t block_count() const { return ranks; }
    /// instant and chained copy in the step after a message, so a last message from an inner rank takes one more step,
    /// unless all its chains are direct; with an irregular layout that is not examined.
    constexpr step_t steps(step_t message_steps) const {
        if (ranks == 1) return 1;
        const rank_t last = tree.child(ranks, 0, 0);
        if (receive == root_receive::direct || is_leaf(last)) return message_steps;
        bool copied = receive == root_receive::instant || blocks.irregular();
        if (!copied)
            for_each_chain(blocks, ranks, subtree(last),
                           [&](const message_chain& chain) { copied = copied || !chain.direct(); });
        return message_steps + (copied ? 1 : 0);
    }
    constexpr step_range copy_steps(rank_t r, step_t message_steps) const {
        if (r == root) return {0, receive == root_receive::direct ? 0 : message_steps};
        return is_leaf(relative(r)) ? step_range{} : step_range{0, 0};
    }
    constexpr bytes_t scratch(rank_t r) const {
        if (r == root) return ranks == 1 || receive == root_receive::direct ? 0 : occupied_before(tree.steps(ranks));
        return is_leaf(relative(r)) ? 0 : blocks.bytes(subtree(relative(r)), ranks);
    }

    constexpr void transfers(const edge& frame, block_interval arriving, auto& f) const {
        const collsched::detail::run_cursor from =
            is_leaf(relative(frame.src))
                ? collsched::detail::run_cursor(buffer::input, {0, blocks.count(frame.src)})
                : collsched::detail::run_cursor(buffer::scratch, {0, blocks.bytes(arriving, ranks)});
        if (frame.dst != root) {
            const block_interval before{frame.dst, wrap(arriving.first - frame.dst, ranks)};
            join_runs(frame, from,
                      collsched::detail::run_cursor(buffer::scratch,
                                                    {blocks.bytes(before, ranks), blocks.bytes(arriving, ranks)}),
                      f);
        } else if (receive == root_receive::direct || is_leaf(relative(frame.src))) {
            join_runs(frame, from, placed(arriving), f);
        } else if (receive == root_receive::instant) {
            join_runs(frame, from,
                      collsched::detail::run_cursor(buffer::scratch,
                                                    {occupied_before(frame.step), blocks.bytes(arriving, ranks)}),
                      f);
        } else {
            chains(frame, arriving, f);
        }
    }

    /// Calls f(from, into) for every local copy of rank r in step k.
    constexpr void copies(rank_t r, step_t k, step_t, auto f) const {
        const collsched::detail::run_cursor self_block(buffer::input, {0, blocks.count(r)});
        if (k == 0 && r == root) f(self_block, placed({r, 1}));
        if (k == 0 && r != root && !is_leaf(relative(r)))
            f(self_block, collsched::detail::run_cursor(buffer::scratch, {0, blocks.count(r)}));
        if (k == 0 || r != root || receive == root_receive::direct) return;
        const rank_t child = tree.child(ranks, 0, tree.steps(ranks) - k);  // sender of step k-1
        if (child < 0 || is_leaf(child)) return;
        bytes_t at = occupied_before(k - 1);
        if (receive == root_receive::instant)
            return f(collsched::detail::run_cursor(buffer::scratch, {at, blocks.bytes(subtree(child), ranks)}),
                     placed(subtree(child)));
        for_each_chain(blocks, ranks, subtree(child), [&](const message_chain& chain) {
            if (chain.direct()) return;
            f(collsched::detail::run_cursor(buffer::scratch, {at, chain.bytes}), placed(chain.blocks));
            at += chain.bytes;
        });
    }

  private:
    constexpr rank_t relative(rank_t r) const { return wrap(r - root, ranks); }
    constexpr bool is_leaf(rank_t v) const { return tree.extent(ranks, v) == 1; }
    constexpr block_interval subtree(rank_t v) const { return {wrap(v + root, ranks), tree.extent(ranks, v)}; }
    constexpr collsched::detail::run_cursor placed(block_interval blocks_read) const {
        return {buffer::output, blocks, ranks, blocks_read};
    }

    /// Returns the bytes of the root's scratch that messages before gather step k occupy.
    constexpr bytes_t occupied_before(step_t k) const {
        bytes_t occupied_bytes = 0;
        for (step_t earlier = 0; earlier < k; ++earlier) {
            const rank_t child = tree.child(ranks, 0, tree.steps(ranks) - 1 - earlier);
            if (child < 0 || is_leaf(child)) continue;
            if (receive == root_receive::instant) {
                occupied_bytes += blocks.bytes(subtree(child), ranks);
                continue;
            }
            for_each_chain(blocks, ranks, subtree(child),
                           [&](const message_chain& chain) { occupied_bytes += chain.direct() ? 0 : chain.bytes; });
        }
        return occupied_bytes;
    }

    /// Emits one edge per chain, in the order in which the child holds the messages.
    constexpr void chains(edge frame, block_interval arriving, auto& f) const {
        frame.from = buffer::scratch;
        bytes_t scratch = occupied_before(frame.step), collected = 0;
        for_each_chain(blocks, ranks, arriving, [&](const message_chain& chain) {
            frame.from_offset = collected;
            frame.size = chain.bytes;
            frame.into = chain.direct() ? buffer::output : buffer::scratch;
            frame.into_offset = chain.direct() ? chain.displ : scratch;
            f(static_cast<const edge&>(frame));
            collected += chain.bytes;
            if (!chain.direct()) scratch += chain.bytes;
        });
    }
};

}  // namespace detail

}}}  // namespace collsched::COLLSCHED_ABI::gather
