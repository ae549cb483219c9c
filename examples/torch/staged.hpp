#pragma once

#include "collsched/schedule/lowering.hpp"

namespace examples::staged {

using namespace collsched;

/// Scratch of a rank: `turns` sets of slots, which pieces use in turn, and one more slot.
struct slots {
    static constexpr rank_t turns = 2;
    rank_t per_turn = 1;
    bytes_t size = 0;  ///< of a slot in bytes: a multiple of 64

    constexpr bytes_t offset(rank_t piece, rank_t slot) const { return (piece % turns * per_turn + slot) * size; }
    constexpr bytes_t last() const { return turns * per_turn * size; }
    static constexpr bytes_t rounded(bytes_t bytes) { return (bytes + 63) / 64 * 64; }
};

/// Returns the number of pieces of at most `segment` bytes, 1 or more; 1 if segment is 0.
constexpr rank_t piece_count(bytes_t bytes, bytes_t segment) {
    return segment <= 0 || bytes <= segment ? 1 : (bytes - 1) / segment + 1;
}

/// Broadcast: the root copies a piece to scratch, from where all ranks receive it. S+1 steps for S pieces of at most
/// `segment` bytes (0: one piece); m bytes sent per rank and target. Every message is sent from scratch as one part.
struct broadcast {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t segment = 0;

    static constexpr algorithm_info info{
        .collective = collective::broadcast, .name = "staged", .rounds = "S", .source = "folklore"};

    constexpr rank_t pieces() const { return piece_count(bytes, segment); }
    constexpr byte_range piece(rank_t i) const {
        const block_layout cut = block_layout::partition(bytes, pieces(), 1);
        return {cut.displ(i), cut.count(i)};
    }
    constexpr slots room() const { return {1, slots::rounded(piece(0).size)}; }
    constexpr bytes_t scratch(rank_t r) const { return r == root && ranks > 1 ? room().last() : 0; }
    constexpr step_t steps() const { return pieces() + (ranks > 1 ? 1 : 0); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        for (rank_t i = 1; r == root && k > 0 && i < ranks; ++i) f(wrap(root + i, ranks));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (r != root && k > 0) f(root);
    }
    constexpr void transfers(rank_t, rank_t, step_t k, auto f) const {
        const byte_range at = piece(k - 1);
        f(edge{.from_offset = room().offset(k - 1, 0),
               .into_offset = at.offset,
               .size = at.size,
               .from = buffer::scratch});
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (r != root || k == pieces()) return;
        const byte_range at = piece(k);
        edge e{.from_offset = at.offset, .into_offset = at.offset, .size = at.size};
        f(e);
        e.into = buffer::scratch, e.into_offset = room().offset(k, 0);
        if (ranks > 1) f(e);
    }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks), f("root", self.root), f("bytes", self.bytes), f("segment", self.segment);
    }
    bool operator==(const broadcast&) const = default;
};

/// Allgather of blocks of equal size: as the broadcast, with all ranks as roots at the same time.
struct allgather {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t segment = 0;

    static constexpr algorithm_info info{
        .collective = collective::allgather, .name = "staged", .rounds = "S", .source = "folklore"};

    constexpr argument_error check() const {
        return block.irregular() ? argument_error{"block", 0, "blocks of equal size"} : argument_error{};
    }
    constexpr broadcast from(rank_t r) const { return {ranks, r, block.count(0), segment}; }
    constexpr bytes_t scratch(rank_t r) const { return from(r).scratch(r); }
    constexpr step_t steps() const { return from(0).steps(); }

    constexpr void targets(rank_t r, step_t k, auto f) const { from(r).targets(r, k, f); }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        for (rank_t i = 1; k > 0 && i < ranks; ++i) f(wrap(r + i, ranks));
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto f) const {
        from(src).transfers(src, dst, k, [&](edge e) {
            e.into_offset += block.displ(src);
            f(e);
        });
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        from(r).local(r, k, [&](edge e) {
            if (e.into == buffer::output) e.into_offset += block.displ(r);
            f(e);
        });
    }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks), f("block", self.block), f("segment", self.segment);
    }
    bool operator==(const allgather&) const = default;
};

/// Allreduce: rank j combines share j of all ranks, in the order of ranks: ((x0 op x1) op x2) op x3. The shares are
/// divided into pieces of at most `segment` bytes, rounded up to an element (0: one piece). Every message is sent from
/// scratch as one part; operands are combined out of the sender's scratch.
///
/// Piece i has p+2 steps from i (p+2) on: copies to scratch, with the results of piece i-1; in step k = 1..p the
/// operands of rank k-1; the copy of the result to scratch. Each rank sends 2 m (p-1)/p bytes. Scratch: 2 p + 1 pieces.
struct allreduce {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;

    static constexpr algorithm_info info{
        .collective = collective::allreduce, .name = "staged", .rounds = "S(p+1)", .source = "folklore"};

    constexpr block_layout shares() const { return block_layout::partition(bytes, ranks, element); }
    constexpr rank_t pieces() const { return piece_count(shares().count(0), segment); }
    constexpr byte_range piece(rank_t share, rank_t i) const {
        const block_layout all = shares(), cut = block_layout::partition(all.count(share), pieces(), element);
        return {all.displ(share) + cut.displ(i), cut.count(i)};
    }
    constexpr slots room() const { return {ranks, slots::rounded(piece(0, 0).size)}; }
    constexpr bytes_t scratch(rank_t r) const { return ranks == 1 ? 0 : room().last() + (r < 2 ? 0 : room().size); }
    constexpr step_t turn() const { return ranks + 2; }
    constexpr step_t steps() const { return ranks == 1 ? 1 : pieces() * turn() + 1; }

    constexpr void targets(rank_t r, step_t step, auto f) const {
        const step_t k = step % turn();
        if (step == 0 || k > ranks || (k > 0 && k - 1 != r)) return;
        for (rank_t i = 1; i < ranks; ++i) f(wrap(r + i, ranks));
    }
    constexpr void sources(rank_t r, step_t step, auto f) const {
        const step_t k = step % turn();
        if (step == 0 || k > ranks || k - 1 == r) return;
        if (k > 0) return f(rank_t{k - 1});
        for (rank_t i = 1; i < ranks; ++i) f(wrap(r + i, ranks));
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t step, auto f) const {
        const bool result = step % turn() == 0;
        const rank_t i = step / turn() - (result ? 1 : 0);
        const byte_range at = piece(result ? src : dst, i);
        edge e{.from_offset = room().offset(i, result ? src : dst),
               .into_offset = at.offset,
               .size = at.size,
               .from = buffer::scratch};
        if (!result) combine_in_order(src, dst, e);
        f(e);
    }
    constexpr void local(rank_t r, step_t step, auto f) const {
        const step_t k = step % turn();
        if (ranks == 1) return f(edge{.size = bytes});
        if (step == steps() - 1) return;
        const rank_t i = step / turn();
        const byte_range own = piece(r, i);
        edge e{.from_offset = own.offset, .into_offset = own.offset, .size = own.size};
        if (k == 0) {
            f(e);
            for (rank_t j = 1; j < ranks; ++j) copy_operand(wrap(r + j, ranks), i, f);
        } else if (k == r + 1 && r > 1) {
            e.from = buffer::scratch, e.from_offset = room().last(), e.action = action::combine_before;
            f(e);
        } else if (k == ranks + 1) {
            e.from = buffer::output, e.into = buffer::scratch, e.into_offset = room().offset(i, r);
            f(e);
        }
    }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks), f("bytes", self.bytes), f("element", self.element), f("segment", self.segment);
    }
    bool operator==(const allreduce&) const = default;

  private:
    constexpr void copy_operand(rank_t share, rank_t i, auto f) const {
        const byte_range at = piece(share, i);
        f(edge{.from_offset = at.offset,
               .into_offset = room().offset(i, share),
               .size = at.size,
               .into = buffer::scratch});
    }
    /// Rank 0 combines after its own operand, rank 1 the only one before it; others collect those before in scratch.
    constexpr void combine_in_order(rank_t src, rank_t dst, edge& e) const {
        e.action = src < dst && dst == 1 ? action::combine_before : action::combine_after;
        if (src > dst || dst == 1) return;
        e.into = buffer::scratch, e.into_offset = room().last();
        if (src == 0) e.action = action::copy;
    }
};

}  // namespace examples::staged
