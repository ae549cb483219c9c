#pragma once

#include <type_traits>

#include "collsched/combine/rename_buffers.hpp"
#include "collsched/core/checked.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

template <class Make>
class segmented_schedule {
    /// Returns segment i as a schedule.
    constexpr auto piece_at(rank_t i) const {
        return detail::schedule_of<std::remove_cvref_t<decltype(make_(i))>>(lower(make_(i)));
    }

  public:
    rank_t ranks;

    constexpr segmented_schedule(const Make& make, rank_t pieces, rank_t lanes, step_t period)
        : ranks(lower(make(0)).ranks),
          make_(make),
          pieces_(pieces),
          lanes_(lanes < pieces ? lanes : pieces),
          period_(period) {
        for (rank_t lane = 0; lane < lanes_; ++lane) {
            const auto first = piece_at(lane);
            if (first.check()) continue;
            if (first.steps() > piece_steps_) piece_steps_ = first.steps();
        }
    }

    constexpr step_t steps() const { return piece_steps_ + (groups() - 1) * period_; }
    constexpr step_t next(rank_t r, step_t k) const {
        step_t best = steps();
        for (rank_t lane = 0; lane < lanes_; ++lane) {
            const step_range busy = busy_steps(piece_at(lane), r).hull();
            for (rank_t group = first_group(busy, k); piece_of(group, lane) < pieces_; ++group) {
                const step_t start = group * period_;
                if (start + busy.first >= best) break;
                const auto piece = piece_at(piece_of(group, lane));
                const step_t next = piece.next(r, k > start ? k - start : 0);
                if (next < piece.steps() && start + next < best) best = start + next;
            }
        }
        return best;
    }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        for_each_piece(r, k, [&](const auto& piece, step_t start) {
            sends_of(piece, r, k - start, [&](const edge& e) { f(delayed(e, start)); });
        });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        for_each_piece(r, k, [&](const auto& piece, step_t start) {
            receives_of(piece, r, k - start, [&](const edge& e) { f(delayed(e, start)); });
        });
    }

    /// Largest scratch of a segment, in bytes. It requires one segment of each kind, as staging() and check() do.
    constexpr bytes_t scratch(rank_t r) const {
        bytes_t largest = 0;
        kinds([&](rank_t i) {
            if (const bytes_t bytes = piece_at(i).scratch(r); bytes > largest) largest = bytes;
        });
        return largest;
    }
    constexpr step_ranges busy(rank_t r) const {
        step_range all{};
        for (rank_t lane = 0; lane < lanes_; ++lane) {
            step_range lane_steps = busy_steps(piece_at(lane), r).hull();
            if (!lane_steps.empty()) lane_steps.last += (pieces_ - 1 - lane) / lanes_ * period_;
            all = step_ranges{all, lane_steps}.hull();
        }
        return {all};
    }
    /// Upper bound in bytes: the staging of all segments that rank r may be busy with at the same time.
    constexpr bytes_t staging(rank_t r) const {
        checked sum = 0;
        for (rank_t lane = 0; lane < lanes_; ++lane) {
            const auto piece = piece_at(lane);
            bytes_t largest = 0;
            kinds([&](rank_t i) {
                if (i % lanes_ != lane) return;
                if (const bytes_t bytes = piece_at(i).staging(r); bytes > largest) largest = bytes;
            });
            const step_ranges lane_steps = busy_steps(piece, r);
            const rank_t overlap = in_step(lane_steps.first_range) + in_step(lane_steps.second_range),
                         all = (pieces_ - 1 - lane) / lanes_ + 1;
            sum = sum + checked(largest) * (overlap < all ? overlap : all);
        }
        return saturated(sum);
    }
    constexpr collsched::pacing pacing() const { return piece_at(0).pacing(); }
    constexpr collsched::contract contract() const { return piece_at(0).contract(); }
    constexpr argument_error check() const {
        if (pieces_ < 1 || pieces_ >= rank_t{1} << 62) return {"pieces", pieces_, "1 or more, less than 2^62"};
        if (lanes_ < 1) return {"lanes", lanes_, "1 or more"};
        if (period_ < 1) return {"period", period_, "1 step or more"};
        if (!(checked(groups() - 1) * period_ + piece_steps_).ok())
            return {"pieces", pieces_, "as many as leave less than 2^63 steps"};
        const collsched::contract expected = contract();
        argument_error first;
        kinds([&](rank_t i) {
            if (!first) first = check_piece(i, expected);
        });
        return first;
    }
    /// O(pieces).
    constexpr std::uint64_t fingerprint() const {
        description_hash all;
        for (rank_t i = 0; i < pieces_; ++i) all(piece_at(i).fingerprint());
        return fingerprint_of("segmented", pieces_, lanes_, period_, all.value());
    }

  private:
    /// Calls f(i) for one segment of each kind and lane, or for all segments if make has no kinds().
    constexpr void kinds(auto f) const {
        if constexpr (requires { make_.kinds(f); }) make_.kinds(f);
        else
            for (rank_t i = 0; i < pieces_; ++i) f(i);
    }
    constexpr argument_error check_piece(rank_t i, const collsched::contract& expected) const {
        const auto piece = piece_at(i);
        if (argument_error error = piece.check()) return error;
        if (piece.ranks != ranks) return {"ranks", piece.ranks, "as many ranks in all pieces", i};
        if (!(piece.contract() == expected))
            return {"contract", static_cast<std::int64_t>(piece.contract().collective), "one contract in all pieces",
                    i};
        if (piece.steps() != piece_at(i % lanes_).steps())
            return {"steps", piece.steps(), "as many steps in all pieces of a lane", i};
        return {};
    }

    /// Number of segments of a lane that can be within `steps`, counted from the start of each, at the same time.
    constexpr rank_t in_step(step_range steps) const {
        return steps.empty() ? 0 : (steps.last - steps.first) / period_ + 1;
    }
    /// Group g: the segments that start in step g * period, one per lane.
    constexpr rank_t groups() const { return (pieces_ - 1) / lanes_ + 1; }
    constexpr rank_t piece_of(rank_t group, rank_t lane) const { return group * lanes_ + lane; }

    /// The first group whose busy steps do not end before step k.
    constexpr rank_t first_group(step_range busy, step_t k) const {
        return k <= busy.last ? 0 : (k - busy.last - 1) / period_ + 1;
    }
    /// Calls f(piece, start) for every piece in which rank r may be busy in step k.
    constexpr void for_each_piece(rank_t r, step_t k, auto f) const {
        for (rank_t lane = 0; lane < lanes_; ++lane) {
            const step_range busy = busy_steps(piece_at(lane), r).hull();
            for (rank_t group = first_group(busy, k); piece_of(group, lane) < pieces_; ++group) {
                const step_t start = group * period_;
                if (start + busy.first > k) break;
                f(piece_at(piece_of(group, lane)), start);
            }
        }
    }

    Make make_;
    rank_t pieces_, lanes_;
    step_t period_, piece_steps_ = 0;
};

}  // namespace detail

/// Pipelines a collective: returns the schedule of segments make(0) .. make(pieces-1), of which segment i starts in step
/// floor(i / lanes) * period.
///
/// Steps: steps of the longest segment + (ceil(pieces / lanes) - 1) * period. Bytes of a rank: the sum over all segments.
/// Messages: at most that sum, as transfers of several segments from one rank to another in the same step are one message.
/// @param make    make(i) returns segment i, a schedule or an algorithm with the contract of the whole collective that
///                moves only its part of the bytes. It is called for every query, so it must be cheap and return equal
///                segments for equal i. The result has the contract and the pacing of make(0). All segments use the same
///                scratch bytes; if they overlap in time, make must give each a range of its own, with rename_buffers().
///                verify() finds the conflict otherwise. In a lane (segments of equal i mod lanes) they have equal numbers
///                of steps, and busy() of each rank returns the same steps; check() does not compare these, and edges in
///                other steps are left out. Optional: make.kinds(f) const calls f(i) for at least one segment of each kind
///                in each lane, where segments of one kind differ only in byte offsets.
/// @param pieces  number of segments, 1 .. 2^62-1
/// @param period  steps between the starts of two segments of a lane, 1 or more
/// @param lanes   number of segments that start together, 1 or more; more than `pieces` count as `pieces`
/// @return a schedule. Its check() reports a wrong `pieces`, `period` or `lanes`, 2^63 steps or more, the first error of a
///         segment, and segments with different numbers of ranks, contracts or, in a lane, numbers of steps.
/// Complexity: calls make(0) whatever `pieces` is, then makes min(lanes, pieces) segments. A query for one step makes the
/// segments that overlap it; fingerprint() makes all; scratch(), staging() and check() make all, or those of make.kinds().
template <class Make>
    requires requires(const Make& make, rank_t i) { requires schedulable<std::remove_cvref_t<decltype(make(i))>>; }
constexpr auto segment(const Make& make, rank_t pieces, step_t period, rank_t lanes = 1) {
    return detail::segmented_schedule<Make>(make, pieces, lanes, period);
}

}}  // namespace collsched::COLLSCHED_ABI
