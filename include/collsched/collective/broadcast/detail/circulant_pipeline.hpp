#pragma once

#include "collsched/collective/broadcast/detail/circulant_rounds.hpp"
#include "collsched/core/argument_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast::detail {

/// A pipeline of the pieces of a message from rank 0 over a circulant graph, in phases of q rounds. The last step is
/// the last round of a phase. In step i the root sends piece i. After the last piece it repeats that piece to ranks
/// that lack it.
///
/// Steps pieces - 1 + ceil(log2 p). Every rank but the root receives every piece once. In a phase of q rounds it
/// receives q consecutive pieces, except that one of them, which it has, is replaced by the corresponding one of the
/// next q pieces. In the last phase it receives the last piece instead.
struct circulant_pipeline {
    rank_t ranks;
    rank_t pieces;

    /// Returns an error if the number of steps overflows.
    constexpr argument_error check() const {
        if (pieces < rank_t{1} << 61) return {};
        return {"segment", pieces, "segments so large that there are less than 2^61 pieces"};
    }
    constexpr step_t steps() const { return ranks == 1 ? 0 : pieces - 1 + graph().count(); }

    /// Returns the distance from the sender to the receiver of a message of step i.
    constexpr rank_t distance(step_t i) const { return graph().skip(round(i)); }

    /// Returns the piece that rank v receives in step i; negative if none. O(log p).
    constexpr rank_t arriving(rank_t v, step_t i) const {
        const step_t k = round(i);
        return v == 0 || (first_phase(i, k) && graph().first_round(v) != k) ? -1 : arriving(v, i, k);
    }

    /// Calls f(v, piece) for every rank v that receives a piece in step i, in descending order. O(log p) per receiver,
    /// and in all phases but the first also per rank that receives none.
    constexpr void arrivals(step_t i, auto f) const {
        const step_t k = round(i);
        const rank_t first = first_phase(i, k) ? graph().skip(k) : 1;
        const rank_t end = first_phase(i, k) ? graph().skip(k + 1) : ranks;
        for (rank_t v = end - 1; v >= first; --v)
            if (const rank_t piece = arriving(v, i, k); piece >= 0) f(v, piece);
    }

    /// Returns a range of steps that contains all edges of rank v: from its first receive, if that is in the first
    /// phase, or from the second phase on. Fewer than q of the steps are idle. O(log p).
    constexpr step_range active(rank_t v) const {
        if (v == 0) return {0, steps() - 1};
        const step_t start = round(0);
        const bool early = graph().first_piece(v) >= start;
        return {(early ? graph().first_round(v) : graph().count()) - start, steps() - 1};
    }

  private:
    constexpr circulant_rounds graph() const { return {ranks}; }
    /// Returns the round of step i: 0 .. q-1 in turn, and q-1 in the last step.
    constexpr step_t round(step_t i) const {
        const step_t q = graph().count();
        return q - 1 - (steps() - 1 - i) % q;
    }
    /// Returns whether step i is in the first phase, in which a rank receives at most its first piece, in its first
    /// round.
    static constexpr bool first_phase(step_t i, step_t k) { return i <= k; }
    constexpr rank_t arriving(rank_t v, step_t i, step_t k) const {
        const rank_t piece = (first_phase(i, k) ? graph().first_piece(v) : graph().received(v)[k]) + i - k;
        return piece < pieces ? piece : pieces - 1;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast::detail
