#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/detail/cyclic_progression.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

/// The senders and targets of a complete exchange of p ranks in groups, as positions 0 .. p-1 of a queue.
///
/// One group is active at a time: `group` consecutive positions, fewer in the last group if `group` does not divide p.
/// Let its members be A[0] .. A[a-1]. The other positions, in cyclic order behind the group, are distributed round
/// robin over a sets of targets, and set i also contains A[i+1] (cyclic). A group has a sub-rounds: in sub-round f,
/// A[i] sends to set i+f (cyclic). All groups together have p sub-rounds, every ordered pair occurs once (including a
/// rank with itself), no rank receives from two senders at a time, and no deadlock occurs, whether `group` divides p or
/// not. All functions are O(1) except for the calls of targets().
/// Source: Chen, Na 2005, Algorithm 2, completed for all p and group.
struct grouping {
    rank_t ranks = 1;  ///< number of positions p, 1 or more
    rank_t group = 1;  ///< positions per group, 1 .. ranks

    /// Returns an error unless `group` is 1 .. ranks.
    /// @pre ranks >= 1
    constexpr argument_error check() const {
        if (group < 1 || group > ranks) return {"group", group, "1 to ranks"};
        return {};
    }
    /// Returns the number of sub-rounds of all groups together: p.
    constexpr step_t steps() const { return ranks; }

    /// A sub-round: positions first .. first + active - 1 send, for the turn-th time.
    struct round {
        rank_t first = 0;   ///< first position of the active group
        rank_t active = 0;  ///< number a of positions of the group
        rank_t turn = 0;    ///< sub-round within the group, 0 .. a-1
        bool operator==(const round&) const = default;
    };
    /// Returns the sub-round with this number.
    ///
    /// @param k  sub-round, 0 .. steps()-1
    constexpr round at(step_t k) const {
        const rank_t first = k - k % group, remaining = ranks - first;
        return {first, remaining < group ? remaining : group, k - first};
    }
    /// Returns whether a position belongs to the group that sends in sub-round k.
    ///
    /// @param v  position, 0 .. ranks-1
    /// @param k  sub-round, 0 .. steps()-1
    constexpr bool is_active(rank_t v, step_t k) const {
        const round now = at(k);
        return v >= now.first && v < now.first + now.active;
    }

    /// Calls f(position) for every position that v sends to in sub-round k, including v itself in one of its turns.
    ///
    /// @param v  position, 0 .. ranks-1
    /// @param k  sub-round, 0 .. steps()-1
    /// @param f  callable, f(position)
    constexpr void targets(rank_t v, step_t k, auto f) const { targets_below(v, k, ranks, f); }
    /// Same as targets(), for positions below `end`. Time O(calls of f).
    ///
    /// @param v    position, 0 .. ranks-1
    /// @param k    sub-round, 0 .. steps()-1
    /// @param end  limit of the positions, 0 .. ranks
    /// @param f    callable, f(position)
    constexpr void targets_below(rank_t v, step_t k, rank_t end, auto f) const {
        if (!is_active(v, k)) return;
        const round now = at(k);
        const rank_t set = (v - now.first + now.turn) % now.active, inactive = ranks - now.active;
        const rank_t begin = (now.first + now.active + set) % ranks;
        const collsched::detail::cyclic_progression served{begin, now.active,
                                                           set < inactive ? (inactive - 1 - set) / now.active + 1 : 0};
        served.for_each_below(end, ranks, [&](rank_t i) { f((begin + i * now.active) % ranks); });
        if (const rank_t member = now.first + (set + 1) % now.active; member < end) f(member);
    }

    /// Returns the position that sends to v in sub-round k; v itself in one of its turns.
    ///
    /// @param v  position, 0 .. ranks-1
    /// @param k  sub-round, 0 .. steps()-1
    constexpr rank_t source(rank_t v, step_t k) const {
        const round now = at(k);
        const rank_t offset = v - now.first;
        const bool active = offset >= 0 && offset < now.active;
        const rank_t set = active ? offset - 1 : wrap(offset - now.active, ranks) % now.active;
        return now.first + wrap(set - now.turn, now.active);
    }

    bool operator==(const grouping&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
