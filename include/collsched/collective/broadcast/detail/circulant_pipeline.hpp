#pragma once

#include <bit>
#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast::detail {

/// One number per round, for q <= 62 rounds.
struct round_numbers {
    step_t numbers[62]{};

    constexpr step_t& operator[](step_t k) { return numbers[k]; }
    constexpr step_t operator[](step_t k) const { return numbers[k]; }
};

/// The skips of a circulant graph of p ranks: s_k = ceil(p / 2^(q-k)), k = 0 .. q, q = ceil(log2 p); s_q = p, and s_0 =
/// 1 for p > 1. Every rank has edges to the ranks s_0 .. s_{q-1} ahead.
struct circulant_skips {
    rank_t ranks = 1;
    step_t rounds = ceil_log2(ranks);

    /// j halvings that round up equal a division by 2^j that rounds up once.
    constexpr rank_t operator()(step_t k) const { return ((ranks - 1) >> (rounds - k)) + 1; }
};

/// Searches the piece that rank v receives in each round. The root reaches every rank over decreasing skips; the last
/// skip determines the piece sent along that path. In round k rank v receives from v - s_k one of the pieces that reach
/// ranks in (v - s_{k+1}, v - s_k] and that v receives in no earlier round. The root itself counts as reached from -p,
/// over s_q = p.
template <class Skips>
class received_search {
  public:
    /// All pieces 0 .. q except `excluded` are candidates.
    constexpr received_search(Skips skips, step_t rounds, rank_t v, step_t excluded)
        : skip_(skips),
          rounds_(rounds),
          v_(v),
          above_(skips(rounds)),
          unused_(((std::uint64_t{2} << rounds) - 1) ^ (std::uint64_t{1} << excluded)) {
        bound();
        search(-above_, below(rounds + 1));
    }
    constexpr const round_numbers& found() const { return found_; }

  private:
    /// Returns the largest candidate below e, or -1.
    constexpr step_t below(step_t e) const {
        return static_cast<step_t>(std::bit_width(unused_ & ((std::uint64_t{1} << e) - 1))) - 1;
    }

    constexpr void bound() {
        if (k_ < rounds_) nearest_ = v_ - skip_(k_), farthest_ = v_ - skip_(k_ + 1);
    }

    /// Searches depth first, over skips up to s_e, from a rank that is reached.
    constexpr void search(rank_t reached, step_t e) {
        for (; e >= 0 && k_ < rounds_; e = below(e)) {
            const rank_t next = reached + skip_(e);
            if (next > nearest_ || next >= above_) continue;
            if (next <= farthest_) search(next, e);
            if (k_ == rounds_ || reached > farthest_) return;
            above_ = next;
            found_[k_++] = e;
            unused_ ^= std::uint64_t{1} << e;
            bound();
        }
    }

    Skips skip_;
    step_t rounds_;
    rank_t v_;
    rank_t above_;                       // ranks found next are reached below it
    rank_t nearest_ = 0, farthest_ = 0;  // v - s_k, v - s_{k+1}
    std::uint64_t unused_;
    step_t k_ = 0;
    round_numbers found_{};
};

/// The pieces received when rank 0, the root, broadcasts over a circulant graph in phases of q rounds. In round k every
/// rank sends to the rank s_k ahead, and the root sends piece k of the phase.
///
/// Pieces are numbered from the first of the phase; those of the preceding phase have negative numbers. In every phase
/// a rank v > 0 receives the pieces -q .. -1, one per round, except the one that it received early in the preceding
/// phase. Instead of that one it receives early the same piece of this phase. It sends only pieces received in earlier
/// rounds.
///
/// first_piece, first_round and received take O(q) time, for 1 <= p < 2^62 and 0 <= v < p.
/// Source: Traeff 2024, "Optimal broadcast schedules in logarithmic time".
struct circulant_rounds {
    rank_t ranks = 1;

    constexpr step_t count() const { return ceil_log2(ranks); }
    constexpr rank_t skip(step_t k) const { return circulant_skips{ranks}(k); }

    /// Returns the piece that v > 0 receives early: the index of the last skip in the greedy decomposition of v into
    /// skips, largest first. For the root q.
    constexpr step_t first_piece(rank_t v) const {
        const circulant_skips skip{ranks};
        step_t last = skip.rounds;
        for (step_t k = last - 1; v > 0; --k)
            if (const rank_t s = skip(k); v >= s) v -= s, last = k;
        return last;
    }
    /// Returns the round in which v > 0 receives that piece: the k with s_k <= v < s_{k+1}.
    constexpr step_t first_round(rank_t v) const {
        const circulant_skips skip{ranks};
        step_t k = skip.rounds - 1;
        while (skip(k) > v) --k;
        return k;
    }
    /// Returns the pieces that v > 0 receives from v - s_k in the rounds k.
    constexpr round_numbers received(rank_t v) const {
        const step_t rounds = count(), first = first_piece(v);
        round_numbers found = detail::received_search(circulant_skips{ranks}, rounds, v, first).found();
        for (step_t k = 0; k < rounds; ++k) found[k] = found[k] == rounds ? first : found[k] - rounds;
        return found;
    }
};

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
