#pragma once

#include "collsched/collective/scan/detail/in_phases.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/schedule/detail/phase_numbers.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace exscan {

/// The scan by recursive doubling, with a second combination that leaves out the own operand. In round k = 0 .. q-1
/// every rank r sends T, the combination of operands r-2^k+1 .. r, to r+2^k, which combines it before its T and before
/// its result W (the first operand becomes W). Keeps the order of operands.
///
/// Rounds q = ceil(log2 p) for every p, the minimum for exscan. No rank sends or receives more than q m bytes, in p q -
/// 2^q + 1 messages. From p = 3 on at most 2q-3 combinations per rank. W is `output`. T is in scratch, except rank 0's,
/// which is `input`. A rank that sends in a later round receives operands after the first into further scratch, and
/// combines them with both T and W in a separate step. Other ranks combine received operands directly with W. Scratch:
/// none for the ranks 0 and p-1, 2m for the ranks 2 .. p-5, else m. Phase 0 copies to T, round k is phase 2k+1, and its
/// local combines are phase 2k+2. Phases without edges are no steps: phase 0 for p = 2, and the last combines for p up to
/// 3/4 2^q.
/// @pre bytes is below 2^62, else check() returns an error
/// Source: Traeff 2025, "Communication round and computation efficient exclusive prefix-sums algorithms".
struct recursive_doubling {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{.collective = collective::exscan,
                                         .name = "recursive-doubling",
                                         .rounds = "ceil(log2 p)",
                                         .source = "Traeff 2025"};

    constexpr argument_error check() const {
        if (bytes >= bytes_t{1} << 62) return {"bytes", bytes, "less than 2^62 bytes"};
        return {};
    }
    constexpr step_t steps() const { return phases().steps(); }
    /// Returns the numbers of the steps: ceil(log2 p) rounds, each after a phase of local edges.
    constexpr collsched::detail::phase_numbers phases() const { return scan::detail::prefix_phases(ranks, false); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        const step_t phase = phases().phase(k);
        if (phase % 2 == 1 && r + distance(phase) < ranks) f(r + distance(phase));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        const step_t phase = phases().phase(k);
        if (phase % 2 == 1 && r >= distance(phase)) f(r - distance(phase));
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto f) const {
        const step_t phase = phases().phase(k);
        const buffer from = src == 0 ? buffer::input : buffer::scratch;
        if (phase == 1) f(edge{.size = bytes, .from = from});
        else if (sends_after(dst, phase))
            f(edge{.into_offset = bytes, .size = bytes, .from = from, .into = buffer::scratch});
        else f(edge{.size = bytes, .from = from, .action = action::combine_before});
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        const step_t phase = phases().phase(k);
        if (phase == 0 && is_inner(r)) f(edge{.size = bytes, .into = buffer::scratch});
        if (phase == 0 || phase % 2 == 1 || r < distance(phase - 1) || !sends_after(r, phase - 1)) return;
        edge arrived{.size = bytes, .from = buffer::output, .into = buffer::scratch, .action = action::combine_before};
        if (phase == 2) return f(arrived);
        arrived.from = buffer::scratch, arrived.from_offset = bytes;
        f(arrived);
        arrived.into = buffer::output;
        f(arrived);
    }
    constexpr bytes_t scratch(rank_t r) const {
        if (!is_inner(r)) return 0;
        return r >= distance(3) && sends_after(r, 3) ? 2 * bytes : bytes;
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const recursive_doubling&) const = default;

  private:
    constexpr bool is_inner(rank_t r) const { return r > 0 && r + 1 < ranks; }
    /// Returns the distance of the messages in a phase, which is odd.
    static constexpr rank_t distance(step_t phase) { return rank_t{1} << (phase / 2); }
    /// Returns whether rank r sends a message in a later round than that of a phase.
    constexpr bool sends_after(rank_t r, step_t phase) const { return r + 2 * distance(phase) < ranks; }
};

/// The result W of every rank covers 1, then 3, 6, 12 ... operands. In round 0 rank r sends its own operand V to r+1,
/// where it becomes W. In round 1 it sends W op V (rank 0: V) to r+2. In round k >= 2 every rank but rank 0 sends W to
/// r + 3 * 2^(k-2). A received operand is combined before W. Keeps the order of operands.
///
/// Rounds q = ceil(log2(p-1) + log2(4/3)), 0 for p = 1: at most one more than ceil(log2 p). A rank combines once per
/// message after its first, and once for the operand that it sends in round 1: at most q times, whereas recursive
/// doubling may take 2 ceil(log2 p) - 3. No rank sends or receives more than q m bytes. W is `output`. V and W op V are
/// in scratch (m bytes on the ranks 1 .. p-2), except rank 0's V, which is `input`. Phase 0 copies to scratch, phase 1
/// is round 0, phase 2 computes W op V, round k >= 1 is phase k+2. Phases without edges are no steps: phase 0 for p = 2,
/// phase 2 for p = 3.
/// Source: Traeff 2025, "Communication round and computation efficient exclusive prefix-sums algorithms".
struct doubling_123 {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{.collective = collective::exscan,
                                         .name = "123-doubling",
                                         .rounds = "ceil(log2(p-1) + log2(4/3))",
                                         .source = "Traeff 2025"};

    constexpr step_t steps() const { return phases().steps(); }
    /// Returns the numbers of the steps: the rounds, and phases 0 and 2 of local edges.
    constexpr collsched::detail::phase_numbers phases() const {
        const step_t rounds = ceil_log2(ranks - 1 + (ranks + 1) / 3);  // of 4 (p-1) / 3, rounded up
        const step_t all = rounds + (rounds < 2 ? rounds : 2);
        return {all, ranks == 2 ? 0 : ranks == 3 ? 2 : all};
    }

    constexpr void targets(rank_t r, step_t step, auto f) const {
        const step_t k = phases().phase(step);
        if (sends(r, k) && r + distance(k) < ranks) f(r + distance(k));
    }
    constexpr void sources(rank_t r, step_t step, auto f) const {
        const step_t k = phases().phase(step);
        if (r >= distance(k) && sends(r - distance(k), k)) f(r - distance(k));
    }
    constexpr void transfers(rank_t src, rank_t, step_t step, auto f) const {
        const step_t k = phases().phase(step);
        f(edge{.size = bytes,
               .from = src == 0 ? buffer::input
                       : k <= 3 ? buffer::scratch
                                : buffer::output,
               .action = k == 1 ? action::copy : action::combine_before});
    }
    constexpr void local(rank_t r, step_t step, auto f) const {
        const step_t k = phases().phase(step);
        if (k == 0 && is_inner(r)) f(edge{.size = bytes, .into = buffer::scratch});
        if (k == 2 && is_inner(r) && r + 2 < ranks)
            f(edge{.size = bytes, .from = buffer::output, .into = buffer::scratch, .action = action::combine_before});
    }
    constexpr bytes_t scratch(rank_t r) const { return is_inner(r) ? bytes : 0; }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const doubling_123&) const = default;

  private:
    constexpr bool is_inner(rank_t r) const { return r > 0 && r + 1 < ranks; }
    /// Rank 0 has no W.
    static constexpr bool sends(rank_t r, step_t k) { return k == 1 || k == 3 || (k > 3 && r > 0); }
    static constexpr rank_t distance(step_t k) { return k < 4 ? (k + 1) / 2 : rank_t{3} << (k - 4); }
};

}}}  // namespace collsched::COLLSCHED_ABI::exscan
