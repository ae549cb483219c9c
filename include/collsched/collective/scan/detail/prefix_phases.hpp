#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/schedule/detail/phase_numbers.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scan::detail {

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
