#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/schedule/detail/phase_numbers.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/tree/k_ary.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// Two binary trees, over the first n = ceil(p/2) ranks and over the others, through which pieces of at most `segment`
/// bytes (0: one piece) move up and down at the same time. Every three steps a rank exchanges one message with each of
/// its neighbors: with both children, which send their sums of a piece and receive the result of an earlier one, then
/// with its parent, to which it sends its own sum of piece j while it receives the result of piece j - d, in depth d.
/// The roots exchange their sums, and both combine them.
///
/// The trees are trees::in_order_binary mirrored: the last of consecutive ranks is the parent, and its children are the
/// last rank of the first half, rounded down, and the preceding rank. Operands keep their order. All ranks have the
/// same bits, since only the roots compute a sum twice, and both combine in the same order.
///
/// Rounds u + 2 floor(log2 n) + 1 + c (S-1), for u steps of in_order_binary over n ranks, S = ceil(bytes / segment)
/// pieces and c = min(n, 3); one less if n > 1 is a power of two. For p = 2^(h+1) - 2 > 2 that is 4h - 3 + 3(S-1). A
/// rank sends and receives all bytes once, plus once per child: one message per step in each direction, with the same
/// neighbor. Roots and ranks with children combine in `output`. They copy a piece there before its first operand
/// arrives. The first step contains only such copies. If n > 2 is a power of two, no message is due in the phase before
/// the last, which is no step. No scratch.
/// Source: Traeff 2021, "A doubly-pipelined, dual-root reduction-to-all algorithm and implementation".
struct dual_root {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;

    static constexpr algorithm_info info{.collective = collective::allreduce,
                                         .name = "dual-root",
                                         .rounds = "about 4 log2 p + 3(S-1)",
                                         .source = "Traeff 2021"};

    constexpr rank_t pieces() const { return ranks == 1 ? 1 : collsched::detail::piece_count(bytes, segment); }
    constexpr argument_error check() const {
        if ((checked(pieces()) * 8).ok()) return {};
        return {"segment", segment, "segments so large that there are less than 2^60 pieces"};
    }
    constexpr step_t steps() const { return phases().steps(); }
    constexpr step_range active(rank_t r) const {
        const place at = find(r);
        const step_t first = at.combines() ? at.copied() : at.up, last = down(at) + (at.size > 1 ? period() - 1 : 0);
        return {phases().step(first), ranks == 1 ? 0 : phases().step(last + period() * (pieces() - 1))};
    }

    constexpr void targets(rank_t r, step_t k, auto f) const { partners(r, k, true, f); }
    constexpr void sources(rank_t r, step_t k, auto f) const { partners(r, k, false, f); }
    constexpr void transfers(rank_t src, rank_t dst, step_t step, auto f) const {
        const place at = find(src);
        const step_t k = phases().phase(step);
        if (at.parent == dst) {
            edge sum = piece(piece_in(k, at.up));
            if (at.size > 1) sum.from = buffer::output;
            sum.action = src < dst ? action::combine_before : action::combine_after;
            f(sum);
        } else {
            edge result = piece(piece_in(k, down(find(dst))));
            result.from = buffer::output;
            f(result);
        }
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        const place at = find(r);
        if (!at.combines()) return;
        if (const rank_t i = piece_in(phases().phase(k), at.copied()); i >= 0) f(piece(i));
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
    }
    bool operator==(const dual_root&) const = default;

  private:
    constexpr collsched::detail::phase_numbers phases() const {
        if (ranks == 1) return {1, 1};
        const step_t all = root_step() + (period() - 1) * floor_log2(half()) + period() * (pieces() - 1) + 1;
        return {all, half() > 2 && is_power_of_two(half()) ? all - 2 : all};
    }

    /// The position of a rank in its tree. The parent of a root is the other root, or -1 if there is none.
    struct place {
        rank_t parent, size;  ///< size: ranks in its subtree
        rank_t depth;
        step_t up;  ///< phase in which the parent receives its sum of piece 0

        constexpr bool combines() const { return size > 1 || depth == 0; }
        /// Returns the phase that copies piece 0 to `output`, that before the sum of the first child arrives.
        constexpr step_t copied() const { return up - (size < 3 ? size : 3); }
    };
    /// Returns the phase in which the result of piece 0 arrives from the parent. A child that sends a phases before its
    /// parent receives period - a phases after it.
    constexpr step_t down(const place& at) const { return at.up + period() * at.depth; }

    constexpr rank_t half() const { return ranks - ranks / 2; }
    /// Returns the number of phases between the same event of consecutive pieces: the largest number of neighbors of a
    /// rank.
    constexpr step_t period() const { return half() < 3 ? half() : 3; }
    /// Returns the phase in which the sums of piece 0 reach the roots. The first one contains copies.
    constexpr step_t root_step() const { return 1 + trees::in_order_binary{}.steps(half()); }

    /// Calls f(child, place), the higher child first. The higher child sends first, since its operands are adjacent to
    /// that of r.
    static constexpr void children(rank_t r, const place& at, auto f) {
        const rank_t high = (at.size - 1) / 2, low = at.size / 2;
        if (high > 0) f(r - 1, place{r, high, at.depth + 1, at.up - 2});
        if (low > 0) f(r - 1 - high, place{r, low, at.depth + 1, at.up - 1});
    }
    constexpr place find(rank_t r) const {
        const bool upper = r >= half();
        place at{upper ? half() - 1 : ranks > 1 ? ranks - 1 : -1, upper ? ranks / 2 : half(), 0, root_step()};
        for (rank_t v = upper ? ranks - 1 : half() - 1; v != r; ++at.depth) {
            const rank_t high = (at.size - 1) / 2;
            const bool lower_child = r < v - high;
            at.parent = v;
            at.size = lower_child ? at.size / 2 : high;
            at.up -= lower_child ? 1 : 2;
            v -= lower_child ? 1 + high : 1;
        }
        return at;
    }

    /// Calls f for the ranks that r sends to, or receives from.
    constexpr void partners(rank_t r, step_t step, bool sends, auto& f) const {
        const place at = find(r);
        const step_t k = phases().phase(step);
        if (at.parent >= 0 && piece_in(k, sends ? at.up : down(at)) >= 0) f(at.parent);
        children(r, at, [&](rank_t child, const place& below) {
            if (piece_in(k, sends ? down(below) : below.up) >= 0) f(child);
        });
    }

    /// Returns the piece whose event is in phase k, given that piece 0 has it in phase `first`; -1 if there is none.
    constexpr rank_t piece_in(step_t k, step_t first) const {
        const step_t since = k - first;
        return since >= 0 && since % period() == 0 && since / period() < pieces() ? since / period() : -1;
    }
    constexpr edge piece(rank_t i) const {
        const block_layout parts = block_layout::partition(bytes, pieces(), element);
        return {.from_offset = parts.displ(i), .into_offset = parts.displ(i), .size = parts.count(i)};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
