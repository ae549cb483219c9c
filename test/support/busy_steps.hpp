#pragma once

#include "collsched/core/rank.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/schedule/lowering.hpp"

namespace support {

using namespace collsched;

/// The first and the last step in which a rank has an edge.
template <schedule S>
step_range used_steps(const S& s, rank_t r) {
    step_range used{};
    for (step_t k = 0; k < s.steps(); ++k) {
        bool any = false;
        const auto seen = [&](const edge&) { any = true; };
        s.sends(r, k, seen);
        s.receives(r, k, seen);
        if (any) used = {used.empty() ? k : used.first, k};
    }
    return used;
}

/// Whether busy() of a rank goes from the first step in which it has an edge to the last, and no further.
template <schedule S>
bool busy_in_used_steps(const S& s, rank_t r) {
    const step_range busy = detail::busy_steps(s, r).hull(), used = used_steps(s, r);
    return busy == used || (busy.empty() && used.empty());
}

/// The same of every rank.
template <schedule S>
bool busy_in_used_steps(const S& s) {
    for (rank_t r = 0; r < s.ranks; ++r)
        if (!busy_in_used_steps(s, r)) return false;
    return true;
}

}  // namespace support
