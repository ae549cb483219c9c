#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/schedule/detail/phase_numbers.hpp"
#include "collsched/schedule/detail/schedule_adaptor.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scan::detail {

/// A schedule whose steps have the numbers of equal phases in another schedule. So parts on different numbers of ranks
/// have their rounds at the same time.
template <schedule S>
class schedule_in_phases : public collsched::detail::schedule_adaptor<schedule_in_phases<S>, S> {
    using adaptor = collsched::detail::schedule_adaptor<schedule_in_phases, S>;
    using adaptor::base;

  public:
    /// @param s           a schedule
    /// @param own_phases  its phases
    /// @param all_phases  phases of the other schedule, of which `own_phases` idles in no fewer
    constexpr schedule_in_phases(const S& s, const collsched::detail::phase_numbers& own_phases,
                                 const collsched::detail::phase_numbers& all_phases)
        : adaptor(s), own_phases_(own_phases), all_phases_(all_phases) {}

    constexpr step_t steps() const { return all_phases_.step(own_phases_.phases); }
    constexpr step_t next(rank_t, step_t k) const { return k < steps() ? k : steps(); }
    constexpr collsched::detail::step_ranges busy(rank_t) const { return {{0, steps() - 1}}; }
    constexpr void sends(rank_t r, step_t k, auto f) const {
        if (const step_t own_phases = own_step(k); own_phases >= 0)
            sends_of(base(), r, own_phases, [&](const edge& e) { f(collsched::detail::delayed(e, k - own_phases)); });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        if (const step_t own_phases = own_step(k); own_phases >= 0)
            receives_of(base(), r, own_phases,
                        [&](const edge& e) { f(collsched::detail::delayed(e, k - own_phases)); });
    }
    constexpr std::uint64_t fingerprint() const {
        return fingerprint_of("in phases", base().fingerprint(), own_phases_.phases, own_phases_.idle,
                              all_phases_.phases, all_phases_.idle);
    }

  private:
    /// Returns the step of the base that is in the same phase, or -1.
    constexpr step_t own_step(step_t k) const {
        const step_t phase = all_phases_.phase(k);
        return phase < own_phases_.phases && phase != own_phases_.idle ? own_phases_.step(phase) : -1;
    }

    collsched::detail::phase_numbers own_phases_, all_phases_;
};

/// Returns the schedule of a scan or exscan, with the numbers of equal phases on `ranks` ranks if it has phases().
/// @param a      a scan or exscan
/// @param ranks  number of ranks, as many as `a` has or more
template <algorithm A>
constexpr auto in_phases_of(const A& a, rank_t ranks) {
    if constexpr (requires { a.phases(); }) {
        A longest = a;
        longest.ranks = ranks;
        return schedule_in_phases<collsched::detail::schedule_of<A>>(lower(a), a.phases(), longest.phases());
    } else {
        return collsched::detail::schedule_of<A>(lower(a));
    }
}

/// Phases of a scan or exscan in q = ceil(log2 p) rounds: phase 2j+1 is round j, and the phase before it has local
/// edges, which copy (phase 0) or combine. The last combination is for ranks that receive in round q-2 and send in round
/// q-1. There are none for p up to 3/4 2^q.
/// @param ranks   number of ranks p, 1 or more
/// @param copies  whether there are copies in phase 0 for p up to 2; for more ranks there always are
constexpr collsched::detail::phase_numbers prefix_phases(rank_t ranks, bool copies) {
    const step_t rounds = ceil_log2(ranks), phases = 2 * rounds;
    if (ranks == 1) return {copies ? 1 : 0, copies ? 1 : 0};
    if (ranks == 2) return {phases, copies ? phases : 0};
    const rank_t half = rank_t{1} << (rounds - 1);
    return {phases, ranks - half <= half / 2 ? phases - 2 : phases};
}

}}}  // namespace collsched::COLLSCHED_ABI::scan::detail
