#pragma once

#include "collsched/collective/allgather/recursive_doubling.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// Ranks at distance 1, 2, 4 ... exchange half of their remaining blocks. Partial sums always cover consecutive ranks,
/// so operands keep their order.
///
/// p a power of two: step 0 copies the blocks to scratch in the order of their bit-reversed numbers. Then in round i
/// rank r sends r xor 2^i the blocks that agree with r in the bits below i and differ in bit i. In scratch these are
/// contiguous, and every rank ends with its own block. Otherwise, with P = 2^floor(log2 p) and rem = p - P: first rank
/// 2j+1 sends 2j all its operands, j < rem. Then the ranks 0, 2 .. 2rem-2, 2rem .. p-1, numbered 0 .. P-1, run the
/// power-of-two algorithm, in which the blocks of a pair count as one. Finally, 2j sends 2j+1 its block.
///
/// Rounds log2 p, or floor(log2 p) + 2, with at most one message per rank in each, in one contiguous range. A rank
/// sends p-1 blocks, 2j+1 of a pair p. It receives p-1, or less than 3(p-1) if p is no power of two. It has p blocks of
/// scratch. Time O(p) per edge.
/// Source: Traeff 2005, "An improved algorithm for (non-commutative) reduce-scatter".
struct butterfly {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{.collective = collective::reduce_scatter,
                                         .name = "butterfly",
                                         .rounds = "log2 p; floor(log2 p)+2 where p is no power of two",
                                         .source = "Traeff 2005"};

    constexpr step_t steps() const { return ranks == 1 ? 1 : first_exchange() + bits() + 1; }
    constexpr bytes_t scratch(rank_t) const { return ranks == 1 ? 0 : block.prefix(ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (is_message(k)) peers().targets(r, k - 1, f);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (is_message(k)) peers().sources(r, k - 1, f);
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto f) const {
        if (k == steps() - 1) return hand_out(number(src), dst, f);
        const step_t exchanges = k < first_exchange() ? 0 : k - first_exchange() + 1;
        const rank_t number_of_target = number(dst);
        f(edge{.from_offset = before(number_of_target, exchanges),
               .into_offset = before(number_of_target, exchanges),
               .size = alike(number_of_target, exchanges),
               .from = buffer::scratch,
               .into = buffer::scratch,
               .action = src > dst ? action::combine_after : action::combine_before});
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (ranks == 1) return f(edge{.from_offset = block.displ(r), .size = block.count(r)});
        if (k == 0) put_in_order(f);
        if (k == steps() - 1 && holders(number(r), rem()).first == r) hand_out(number(r), r, f);
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const butterfly&) const = default;

  private:
    constexpr allgather::recursive_doubling peers() const { return {.ranks = ranks}; }
    constexpr rank_t rem() const { return ranks - floor_power_of_two(ranks); }
    constexpr step_t bits() const { return floor_log2(ranks); }
    constexpr step_t first_exchange() const { return rem() > 0 ? 2 : 1; }
    constexpr bool is_message(step_t k) const { return k >= 1 && k <= peers().steps(); }

    constexpr rank_t number(rank_t r) const { return r < 2 * rem() ? r / 2 : r - rem(); }
    /// Returns the one or two ranks with this number. The first one takes part in the exchange.
    static constexpr block_interval holders(rank_t number, rank_t pairs) {
        return number < pairs ? block_interval{2 * number, 2} : block_interval{number + pairs, 1};
    }

    /// Returns the bytes of the blocks of all numbers that agree with this number in the lowest `exchanges` bits.
    constexpr bytes_t alike(rank_t number, step_t exchanges) const {
        const rank_t stride = rank_t{1} << exchanges, pairs = rem(), all = ranks - pairs;
        bytes_t sum = 0;
        for (rank_t v = number & (stride - 1); v < all; v += stride) sum += block.bytes(holders(v, pairs), ranks);
        return sum;
    }
    /// Returns the offset of those blocks in scratch: behind all blocks that have a 0 where these have their first 1.
    constexpr bytes_t before(rank_t number, step_t exchanges) const {
        bytes_t sum = 0;
        for (step_t bit = 0; bit < exchanges; ++bit)
            if ((number >> bit & 1) != 0) sum += alike(number ^ (rank_t{1} << bit), bit + 1);
        return sum;
    }

    constexpr void put_in_order(auto& f) const {
        const rank_t pairs = rem(), all = ranks - pairs;
        bytes_t offset = 0;
        for (rank_t place = 0; place < all; ++place) {
            rank_t v = 0;  // bits of `place` in reverse
            for (rank_t bit = 1, mirror = all / 2; mirror > 0; bit *= 2, mirror /= 2)
                if ((place & bit) != 0) v += mirror;
            const block_interval blocks = holders(v, pairs);
            const bytes_t size = block.bytes(blocks, ranks);
            collsched::detail::join_runs({}, collsched::detail::run_cursor(buffer::input, block, ranks, blocks),
                                         collsched::detail::run_cursor(buffer::scratch, {offset, size}), f);
            offset += size;
        }
    }
    /// Sends rank `dst` its block, which the host with this number has completed.
    constexpr void hand_out(rank_t number, rank_t dst, auto& f) const {
        const bytes_t ahead = block.prefix(dst) - block.prefix(holders(number, rem()).first);
        f(edge{.from_offset = before(number, bits()) + ahead, .size = block.count(dst), .from = buffer::scratch});
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
