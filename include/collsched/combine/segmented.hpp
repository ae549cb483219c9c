#pragma once

#include "collsched/combine/placed.hpp"

namespace collsched {

/// The pieces of a collective, run one behind another before the first is through: a pipeline.
///
/// Piece i is a schedule of its own, placed in the bigger one; `lanes` pieces start together, the next ones a period later:
/// piece i starts in step floor(i / lanes) * period. Steps: those of a piece + (ceil(pieces / lanes) - 1) * period.
/// `Make` gives piece i as make(i). Pieces of a lane (equal i mod lanes) have equal steps, and a rank is busy in the same ones.
template <class Make>
class segmented_schedule {
  public:
    rank_t ranks;

    constexpr segmented_schedule(const Make& make, rank_t pieces, rank_t lanes, step_t period)
        : ranks(make(0).ranks), make_(make), pieces_(pieces), lanes_(lanes), period_(period) {
        for (rank_t lane = 0; lane < lanes && lane < pieces; ++lane)
            if (const step_t here = make(lane).steps(); here > piece_steps_) piece_steps_ = here;
    }

    constexpr step_t steps() const { return piece_steps_ + (groups() - 1) * period_; }
    constexpr step_t next(rank_t r, step_t k) const {
        step_t best = steps();
        for (rank_t lane = 0; lane < lanes_ && lane < pieces_; ++lane) {
            const step_range busy = busy_steps(make_(lane), r);
            for (rank_t group = first_group(busy, k); piece_of(group, lane) < pieces_; ++group) {
                const step_t start = group * period_;
                if (start + busy.first >= best) break;
                const auto piece = make_(piece_of(group, lane));
                const step_t here = piece.next(r, k > start ? k - start : 0);
                if (here < piece.steps() && start + here < best) best = start + here;
            }
        }
        return best;
    }

    template <class F>
    constexpr void sends(rank_t r, step_t k, F f) const {
        for_each_piece(r, k, [&](const auto& piece, step_t start) {
            piece.sends(r, k - start, [&](const edge& e) { later(e, start, f); });
        });
    }
    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        for_each_piece(r, k, [&](const auto& piece, step_t start) {
            piece.receives(r, k - start, [&](const edge& e) { later(e, start, f); });
        });
    }

    /// O(pieces), as staging and check.
    constexpr bytes_t scratch(rank_t r) const {
        bytes_t most = 0;
        for (rank_t i = 0; i < pieces_; ++i)
            if (const bytes_t here = make_(i).scratch(r); here > most) most = here;
        return most;
    }
    /// Of as many pieces as may be under way at once.
    constexpr bytes_t staging(rank_t r) const {
        bytes_t most = 0;
        for (rank_t lane = 0; lane < lanes_ && lane < pieces_; ++lane) most += make_(lane).staging(r);
        return most * ((piece_steps_ + period_ - 1) / period_);
    }
    constexpr collsched::pacing pacing() const { return make_(0).pacing(); }
    constexpr collsched::contract contract() const { return make_(0).contract(); }
    constexpr error check() const {
        if (pieces_ < 1) return {"pieces", pieces_, "1 or more"};
        if (lanes_ < 1) return {"lanes", lanes_, "1 or more"};
        if (period_ < 1) return {"period", period_, "1 step or more"};
        for (rank_t i = 0; i < pieces_; ++i)
            if (error wrong = make_(i).check()) return wrong;
        return {};
    }
    constexpr std::uint64_t fingerprint() const {
        description_hash all;
        for (rank_t i = 0; i < pieces_; ++i) all(make_(i).fingerprint());
        return fingerprint_of("segmented", pieces_, lanes_, period_, all.value());
    }

  private:
    constexpr rank_t groups() const { return (pieces_ - 1) / lanes_ + 1; }
    constexpr rank_t piece_of(rank_t group, rank_t lane) const { return group * lanes_ + lane; }

    template <class Piece>
    static constexpr step_range busy_steps(const Piece& piece, rank_t r) {
        if constexpr (requires { piece.busy(r); }) return piece.busy(r).hull();
        else return {0, piece.steps() - 1};
    }
    /// The first group whose busy steps do not end before step k.
    constexpr rank_t first_group(step_range busy, step_t k) const {
        return k <= busy.last ? 0 : (k - busy.last + period_ - 1) / period_;
    }
    /// f(piece, start) for every piece in which rank r may be busy in step k.
    template <class F>
    constexpr void for_each_piece(rank_t r, step_t k, F f) const {
        for (rank_t lane = 0; lane < lanes_ && lane < pieces_; ++lane) {
            const step_range busy = busy_steps(make_(lane), r);
            for (rank_t group = first_group(busy, k); piece_of(group, lane) < pieces_; ++group) {
                const step_t start = group * period_;
                if (start + busy.first > k) break;
                f(make_(piece_of(group, lane)), start);
            }
        }
    }
    template <class F>
    static constexpr void later(edge e, step_t start, F& f) {
        e.step += start;
        f(static_cast<const edge&>(e));
    }

    Make make_;
    rank_t pieces_, lanes_;
    step_t period_, piece_steps_ = 0;
};

/// Pieces make(0) .. make(pieces-1) in a pipeline; see segmented_schedule.
template <class Make>
constexpr auto segment(const Make& make, rank_t pieces, step_t period, rank_t lanes = 1) {
    return segmented_schedule<Make>(make, pieces, lanes, period);
}

}  // namespace collsched
