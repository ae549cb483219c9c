#pragma once

#include "collsched/core/block_layout.hpp"

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
