#pragma once

#include "collsched/collective/scan/detail/in_phases.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scan {

namespace detail {

/// Scan or exscan over aligned groups: a group of level j has the ranks i 2^j .. (i+1) 2^j - 1. In round j the two groups
/// of level j in a group of level j+1 exchange their sums, rank i of one with rank i of the other. The upper ranks
/// combine the sum of the lower group before their result.
///
/// The result over n operands is the canonical tree of a prefix: with 2^k the largest power of two below n, (the first
/// 2^k operands) op (the others), recursively. Keeps the order of operands.
///
/// Rounds q = ceil(log2 p) for every p. A rank sends, and receives, at most one message of m bytes per round. A sum that
/// no later rank uses is not sent. The result is in `output`. The sum of a group is in scratch, at first in `input`. An
/// upper rank that needs the larger sum receives into further scratch, and combines in a separate step. Scratch at most
/// 2m. Phase 0 copies, round j is phase 2j+1, and its local combinations are phase 2j+2. Phases without edges are no
/// steps: phase 0 of an exscan for p = 2, and the last combinations for p up to 3/4 2^q.
/// @pre bytes is below 2^62, else check() returns an error
template <collective Collective>
    requires(Collective == collective::scan || Collective == collective::exscan)
struct butterfly {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{
        .collective = Collective, .name = "butterfly", .rounds = "ceil(log2 p)", .source = "MPICH"};

    constexpr argument_error check() const {
        if (bytes >= bytes_t{1} << 62) return {"bytes", bytes, "less than 2^62 bytes"};
        return {};
    }
    constexpr step_t steps() const { return phases().steps(); }
    constexpr collsched::detail::phase_numbers phases() const { return prefix_phases(ranks, !exclusive); }

    constexpr void targets(rank_t r, step_t step, auto f) const {
        const step_t k = phases().phase(step);
        if (k % 2 == 0) return;
        if (!is_upper(r, level(k)) && r + distance(k) < ranks) f(r + distance(k));
        if (is_upper(r, level(k)) && uses_sum(r - distance(k), level(k) + 1)) f(r - distance(k));
    }
    constexpr void sources(rank_t r, step_t step, auto f) const {
        const step_t k = phases().phase(step);
        if (k % 2 == 0) return;
        if (is_upper(r, level(k))) f(r - distance(k));
        else if (uses_sum(r, level(k) + 1)) f(r + distance(k));
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t step, auto f) const {
        const step_t k = phases().phase(step);
        // In place, an upper rank of an exscan receives into its input in round 0.
        const bool sends_input = k == 1 && !(exclusive && is_upper(src, 0));
        edge sum{.size = bytes, .from = sends_input ? buffer::input : buffer::scratch};
        if (dst < src) {
            sum.into = buffer::scratch, sum.action = action::combine_after;
        } else if (stores(dst, level(k))) {
            sum.into = buffer::scratch, sum.into_offset = bytes;
        } else if (!is_first(dst, level(k))) {
            sum.action = action::combine_before;
        }
        f(sum);
    }
    constexpr void local(rank_t r, step_t step, auto f) const {
        const step_t k = phases().phase(step);
        if (k == 0 && !exclusive) f(edge{.size = bytes});
        if (k == 0 && has_sum(r)) f(edge{.size = bytes, .into = buffer::scratch});
        if (k == 0 || k % 2 == 1 || !is_upper(r, level(k - 1)) || !uses_sum(r, level(k - 1) + 1)) return;
        edge arrived{.size = bytes, .from = buffer::output, .into = buffer::scratch, .action = action::combine_before};
        if (!stores(r, level(k - 1))) return f(arrived);
        arrived.from = buffer::scratch, arrived.from_offset = bytes;
        f(arrived);
        arrived.into = buffer::output;
        f(arrived);
    }
    constexpr bytes_t scratch(rank_t r) const {
        if (!has_sum(r)) return 0;
        for (int j = 0; uses_sum(r, j + 1); ++j)
            if (stores(r, j)) return 2 * bytes;
        return bytes;
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const butterfly&) const = default;

  private:
    static constexpr bool exclusive = Collective == collective::exscan;

    /// Returns the level of the groups that exchange their sums in phase k, which is odd.
    static constexpr int level(step_t k) { return static_cast<int>(k / 2); }
    static constexpr rank_t distance(step_t k) { return rank_t{1} << level(k); }
    static constexpr bool is_upper(rank_t r, int j) { return (r >> j & 1) != 0; }
    /// Returns whether rank r has no result before round j: the first rank of its group of level j in an exscan.
    static constexpr bool is_first(rank_t r, int j) { return exclusive && (r & ((rank_t{1} << j) - 1)) == 0; }
    /// Returns whether rank r needs the sum of its group of level j: at a level l >= j the rank that has it, r without the
    /// bits j .. l-1, is a lower one with an upper rank. O(log p).
    constexpr bool uses_sum(rank_t r, int j) const {
        const rank_t within = r & ((rank_t{1} << j) - 1);
        for (int l = j; rank_t{1} << l < ranks; ++l)
            if (!is_upper(r, l) && within + (r >> l << l) + (rank_t{1} << l) < ranks) return true;
        return false;
    }
    /// Returns whether rank r has the sum of a group in scratch. In round 0 an upper rank of an exscan sends it from there.
    constexpr bool has_sum(rank_t r) const {
        return uses_sum(r, 1) || (exclusive && is_upper(r, 0) && uses_sum(r - 1, 1));
    }
    /// Returns whether rank r receives the sum of round j into further scratch, for two combinations.
    constexpr bool stores(rank_t r, int j) const { return is_upper(r, j) && uses_sum(r, j + 1) && !is_first(r, j); }
};

}  // namespace detail

/// Ranks at distance 1, 2, 4, ... exchange the sums of aligned groups of as many ranks, and rank r combines them to the
/// result over the ranks 0 .. r. The result over n operands is the canonical tree of a prefix: with 2^k the largest power of
/// two below n, (the first 2^k operands) op (the others), recursively.
///
/// Rounds ceil(log2 p) for every p; at most m ceil(log2 p) bytes sent and received per rank; at most 2m bytes of scratch;
/// keeps the order of operands. Source: MPICH.
using butterfly = detail::butterfly<collective::scan>;

}}}  // namespace collsched::COLLSCHED_ABI::scan

namespace collsched { inline namespace COLLSCHED_ABI { namespace exscan {

/// Ranks at distance 1, 2, 4, ... exchange the sums of aligned groups of as many ranks, and rank r combines them to the
/// result over the ranks 0 .. r-1. The result over n operands is the canonical tree of a prefix: with 2^k the largest power of
/// two below n, (the first 2^k operands) op (the others), recursively.
///
/// Rounds ceil(log2 p) for every p; at most m ceil(log2 p) bytes sent and received per rank; at most 2m bytes of scratch;
/// keeps the order of operands. Source: MPICH.
using butterfly = scan::detail::butterfly<collective::exscan>;

}}}  // namespace collsched::COLLSCHED_ABI::exscan
