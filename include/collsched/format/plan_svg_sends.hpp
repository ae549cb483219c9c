#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collsched/format/cluster.hpp"
#include "collsched/tree/send_plan.hpp"

namespace collsched::inline v0_1 {

/// One send of a plan in time, in picoseconds: it keeps its sender from start to left, arrives, and keeps its receiver from
/// taken to ready.
struct plan_svg_send {
    rank_t from = 0, to = 0;
    rank_t meeting = 0;  ///< the lowest equipment above both
    picoseconds start = 0, left = 0, arrived = 0, taken = 0, ready = 0;

    /// Without the time that it waits at a busy receiver.
    constexpr picoseconds takes() const { return arrived - start + (ready - taken); }
    bool operator==(const plan_svg_send&) const = default;
};

/// The sends in the order of the plan, timed as ready_times() does. O(ranks + sum of the ways in the tree).
inline std::vector<plan_svg_send> plan_svg_sends(const cluster& c, const send_plan& plan) {
    std::vector<plan_svg_send> sends;
    owned_array<picoseconds> ready(c.cost.ranks());
    for (const auto& [parent, child] : plan.edges) {
        const rank_t i = plan.many_to_one ? child : parent, j = plan.many_to_one ? parent : child;
        plan_svg_send s{.from = i, .to = j, .meeting = c.machines.meeting(i, j), .start = ready[i]};
        s.left = ready[i] = s.start + c.cost.overhead(i) + c.cost.stream(i, j, plan.bytes);
        s.arrived = s.left + c.cost.latency(i, j);
        s.taken = std::max(ready[j], s.arrived);
        s.ready = ready[j] = s.taken + c.cost.overhead(j);
        sends.push_back(s);
    }
    return sends;
}

/// The sends whose computers meet on one level.
struct plan_svg_level {
    rank_t level = 0;
    std::int64_t sends = 0;
    picoseconds least = 0, most = 0;  ///< how long one of them takes
    std::vector<rank_t> equipment{};  ///< where they meet, ascending
};

/// The levels with sends, from the top down.
inline std::vector<plan_svg_level> plan_svg_levels(const cluster& c, const std::vector<plan_svg_send>& sends) {
    std::vector<plan_svg_level> all(static_cast<std::size_t>(c.machines.levels()));
    for (const plan_svg_send& s : sends) {
        const rank_t level = c.machines.level(s.meeting);
        plan_svg_level& at = all[static_cast<std::size_t>(level)];
        at.level = level;
        at.least = at.sends == 0 ? s.takes() : std::min(at.least, s.takes());
        at.most = std::max(at.most, s.takes());
        ++at.sends;
        at.equipment.push_back(s.meeting);
    }
    std::erase_if(all, [](const plan_svg_level& at) { return at.sends == 0; });
    for (plan_svg_level& at : all) {
        std::sort(at.equipment.begin(), at.equipment.end());
        at.equipment.erase(std::unique(at.equipment.begin(), at.equipment.end()), at.equipment.end());
    }
    return all;
}

}  // namespace collsched::inline v0_1
