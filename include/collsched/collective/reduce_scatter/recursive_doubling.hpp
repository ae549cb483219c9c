#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/core/detail/cyclic_progression.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// A binomial tree to every rank, over distances d = 1, 2, 4 ... Rank r sends to r + d partial sums of those blocks r +
/// d, r + 3d, r + 5d ... whose distance is less than p. Each is the sum over the d ranks up to r, or over fewer where
/// they would wrap around to the block's own rank.
///
/// Keeps the order of operands: a sum over ranks that wrap around is stored as two sums side by side in scratch, one
/// over ranks 0 .. r and one over ranks up to p-1. A final local step combines them.
///
/// Rounds ceil(log2 p) for every p, with one message per rank in each, whose blocks are not adjacent. Rank r < p-1
/// sends every block but its own, and two sums for floor((p-2-r) / 2^ceil(log2(r+2))) of them: less than 3/2 (p-1)
/// blocks. No rank receives more than 5/4 p blocks. It has 2p blocks of scratch. (The recursive doubling of MPICH
/// exchanges p - d blocks over distance d, in one or two contiguous ranges, and takes more rounds if p is no power of
/// two.)
/// Source: the reverse of allgather::sparbit (Loch, Koslovski 2021).
struct recursive_doubling {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{.collective = collective::reduce_scatter,
                                         .name = "recursive-doubling",
                                         .rounds = "ceil(log2 p)",
                                         .source = "Loch, Koslovski 2021"};

    constexpr argument_error check() const {
        const bool fits = ranks == 1 || (checked(block.prefix(ranks)) * 2).ok();
        return fits ? argument_error{} : argument_error{"block", block.count(0), "2 * ranks * block below 2^63 bytes"};
    }
    constexpr step_t steps() const { return ranks == 1 ? 1 : ceil_log2(ranks) + 3; }
    constexpr bytes_t scratch(rank_t) const { return ranks == 1 ? 0 : 2 * block.prefix(ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (is_message(k)) f(wrap(r + distance(k), ranks));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (is_message(k)) f(wrap(r - distance(k), ranks));
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto f) const {
        const rank_t d = distance(k);
        const collsched::detail::cyclic_progression sent{wrap(src + d, ranks), 2 * d, (ranks - d - 1) / (2 * d) + 1};
        sent.for_each_below(block.filled_end(ranks), ranks, [&](rank_t i) {
            const rank_t places = d + 2 * d * i, of = wrap(src + places, ranks),
                         combined = d < ranks - places ? d : ranks - places;
            if (dst < src) {
                f(moved(of, 0, second_sum(), src == ranks - 1 ? action::copy : action::combine_before));
            } else {
                f(moved(of, 0, 0, action::combine_before));
                if (combined > src + 1) f(moved(of, second_sum(), second_sum(), action::copy));
            }
        });
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (ranks == 1) return f(edge{.from_offset = block.displ(r), .size = block.count(r)});
        if (k == 0)
            collsched::detail::join_runs({}, collsched::detail::run_cursor(buffer::input, block, ranks, {0, ranks}),
                                         collsched::detail::run_cursor(buffer::scratch, {0, block.prefix(ranks)}), f);
        if (k == steps() - 2 && r < ranks - 1) f(moved(r, second_sum(), 0, action::combine_after));
        if (k == steps() - 1) f(edge{.from_offset = block.prefix(r), .size = block.count(r), .from = buffer::scratch});
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const recursive_doubling&) const = default;

  private:
    constexpr bool is_message(step_t k) const { return k >= 1 && k <= ceil_log2(ranks); }
    constexpr rank_t distance(step_t k) const { return rank_t{1} << (k - 1); }
    /// Returns the offset from a sum that ends at the rank that holds it to a sum that ends at rank p-1.
    constexpr bytes_t second_sum() const { return block.prefix(ranks); }
    constexpr edge moved(rank_t of, bytes_t from, bytes_t into, collsched::action action) const {
        return {.from_offset = from + block.prefix(of),
                .into_offset = into + block.prefix(of),
                .size = block.count(of),
                .from = buffer::scratch,
                .into = buffer::scratch,
                .action = action};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
