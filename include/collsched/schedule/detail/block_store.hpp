#pragma once

#include "collsched/core/block_layout.hpp"
#include "collsched/core/edge.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Iterates over the contiguous pieces of memory that contain some blocks of one rank.
class run_cursor {
  public:
    /// Cursor over one piece.
    constexpr run_cursor(buffer where, byte_range piece) : where_(where), piece_(piece) {}

    /// Cursor over a cyclic interval of blocks at the displacements of a layout.
    [[gnu::always_inline]] constexpr run_cursor(buffer where, const block_layout& layout, rank_t ranks,
                                                block_interval blocks)
        : where_(where) {
        const rank_t end = blocks.first + blocks.count;
        if (!layout.irregular() && end <= ranks) {
            const bytes_t offset = layout.prefix(blocks.first);
            piece_ = {offset, layout.prefix(end) - offset};
        } else {
            layout_ = &layout;
            ranks_ = ranks;
            next_ = blocks.first;
            remaining_ = blocks.count;
        }
    }

    /// Returns whether no piece follows the current one.
    constexpr bool last() const { return remaining_ == 0; }
    /// Moves to the next piece if the current one is consumed, and returns whether there is none. Must be called before
    /// piece().
    constexpr bool done() {
        while (remaining_ > 0 && piece_.size == 0) {
            const rank_t limit = next_ + remaining_ < ranks_ ? next_ + remaining_ : ranks_;
            const auto run = layout_->run_at(next_, limit);
            remaining_ -= run.end - next_;
            next_ = run.end == ranks_ ? 0 : run.end;
            piece_ = run.bytes;
        }
        return piece_.size == 0;
    }
    constexpr buffer where() const { return where_; }
    constexpr byte_range piece() const { return piece_; }
    constexpr void advance(bytes_t n) { piece_ = {piece_.offset + n, piece_.size - n}; }

  private:
    buffer where_;
    byte_range piece_{};
    const block_layout* layout_ = nullptr;
    rank_t ranks_ = 0;
    rank_t next_ = 0;
    rank_t remaining_ = 0;
};

/// Calls f(edge) for the common length of both pieces.
[[gnu::always_inline]] constexpr bytes_t join_pieces(edge& frame, const run_cursor& from, const run_cursor& into,
                                                     auto& f) {
    const bytes_t available = from.piece().size, room = into.piece().size;
    frame.size = available < room ? available : room;
    frame.from = from.where();
    frame.from_offset = from.piece().offset;
    frame.into = into.where();
    frame.into_offset = into.piece().offset;
    if (frame.size > 0) f(static_cast<const edge&>(frame));
    return frame.size;
}

[[gnu::noinline]] constexpr void join_many(edge frame, run_cursor from, run_cursor into, auto& f) {
    while (!from.done() && !into.done()) {
        const bytes_t size = join_pieces(frame, from, into, f);
        from.advance(size);
        into.advance(size);
    }
}

/// Calls f(edge) for every longest range that is contiguous at both ends. `frame` holds step, ranks and action. The
/// common case of one piece is inlined.
[[gnu::always_inline]] constexpr void join_runs(edge frame, const run_cursor& from, const run_cursor& into, auto&& f) {
    if (from.last() && into.last()) join_pieces(frame, from, into, f);
    else join_many(frame, from, into, f);
}

/// Placement of an allgather: every block at its displacement in `output`. In step 0 a rank sends its own block from
/// `input` and copies it to its place.
struct output_store {
    block_layout blocks;
    rank_t ranks;

    constexpr rank_t block_count() const { return ranks; }
    constexpr step_t steps(step_t message_steps) const { return ranks == 1 ? 1 : message_steps; }
    /// Returns the range from the first to the last step with local copies.
    constexpr step_range copy_steps(rank_t, step_t) const { return {0, 0}; }
    static constexpr bool scratchless = true;
    constexpr bytes_t scratch(rank_t) const { return 0; }

    [[gnu::always_inline]] constexpr run_cursor read(rank_t r, step_t k, block_interval blocks_read) const {
        if (k == 0) return {buffer::input, {0, blocks.count(r)}};
        return {buffer::output, blocks, ranks, blocks_read};
    }
    [[gnu::always_inline]] constexpr run_cursor write(rank_t, block_interval arriving) const {
        return {buffer::output, blocks, ranks, arriving};
    }
    /// Calls f(from, into) for every local copy of rank r in step k.
    constexpr void copies(rank_t r, step_t k, step_t, auto f) const {
        if (k == 0) f(run_cursor(buffer::input, {0, blocks.count(r)}), write(r, {r, 1}));
    }
};

/// Placement of an allgather: rank r stores the blocks r, r+1, ... in `scratch` in this cyclic order. A last step of
/// local copies moves them to `output`; with p = 1 step 0 does.
struct rotated_store {
    block_layout blocks;
    rank_t ranks;

    constexpr rank_t block_count() const { return ranks; }
    constexpr step_t steps(step_t message_steps) const { return message_steps + 1; }
    constexpr step_range copy_steps(rank_t, step_t message_steps) const { return {0, message_steps}; }
    constexpr bytes_t scratch(rank_t) const { return ranks == 1 ? 0 : blocks.prefix(ranks); }

    [[gnu::always_inline]] constexpr run_cursor read(rank_t r, step_t k, block_interval blocks_read) const {
        if (k == 0) return {buffer::input, {0, blocks.count(r)}};
        return packed(r, blocks_read);
    }
    [[gnu::always_inline]] constexpr run_cursor write(rank_t r, block_interval arriving) const {
        return packed(r, arriving);
    }
    constexpr void copies(rank_t r, step_t k, step_t message_steps, auto f) const {
        if (k > 0 && k < message_steps) return;
        const run_cursor all_placed(buffer::output, blocks, ranks, {r, ranks});
        const run_cursor self_block(buffer::input, {0, blocks.count(r)});
        if (ranks == 1) return f(self_block, all_placed);
        if (k == 0) f(self_block, packed(r, {r, 1}));
        if (k == message_steps) f(packed(r, {r, ranks}), all_placed);
    }

  private:
    [[gnu::always_inline]] constexpr run_cursor packed(rank_t r, block_interval blocks_read) const {
        const rank_t before = wrap(blocks_read.first - r, ranks);
        return {buffer::scratch, {blocks.bytes({r, before}, ranks), blocks.bytes(blocks_read, ranks)}};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
