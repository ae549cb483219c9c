#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collsched/format/clusters/cluster.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// One send of a tree plan, with times in picoseconds. The sender is busy from `start` to `left`, the message arrives
/// at `arrived`, and the receiver is busy from `taken` to `ready`.
struct tree_plan_svg_send {
    rank_t from = 0, to = 0;
    rank_t meeting = 0;  ///< lowest switch above both nodes
    picoseconds start = 0, left = 0, arrived = 0, taken = 0, ready = 0;

    /// Returns the duration of the send without the wait at a busy receiver.
    constexpr picoseconds takes() const { return arrived - start + (ready - taken); }
    bool operator==(const tree_plan_svg_send&) const = default;
};

/// Returns the sends in the order of the plan, with the times of ready_times(). O(ranks + sum of the path lengths in
/// the tree).
inline std::vector<tree_plan_svg_send> tree_plan_svg_sends(const cluster& c, const tree_plan& plan) {
    std::vector<tree_plan_svg_send> sends;
    owned_array<picoseconds> ready(c.cost.ranks());
    for (const auto& [parent, child] : plan.edges) {
        const rank_t i = plan.many_to_one ? child : parent, j = plan.many_to_one ? parent : child;
        tree_plan_svg_send s{.from = i, .to = j, .meeting = c.switches.meeting(i, j), .start = ready[i]};
        s.left = ready[i] = s.start + c.cost.overhead(i) + c.cost.stream(i, j, plan.bytes);
        s.arrived = s.left + c.cost.latency(i, j);
        s.taken = std::max(ready[j], s.arrived);
        s.ready = ready[j] = s.taken + c.cost.overhead(j);
        sends.push_back(s);
    }
    return sends;
}

/// The sends between nodes whose lowest common switch is on one level.
struct tree_plan_svg_level {
    rank_t level = 0;
    std::int64_t sends = 0;
    picoseconds least = 0, most = 0;  ///< shortest and longest duration of a send
    std::vector<rank_t> switches{};   ///< the common switches, ascending
};

/// Returns the levels with sends, from the top down.
inline std::vector<tree_plan_svg_level> tree_plan_svg_levels(const cluster& c,
                                                             const std::vector<tree_plan_svg_send>& sends) {
    std::vector<tree_plan_svg_level> all(static_cast<std::size_t>(c.switches.levels()));
    for (const tree_plan_svg_send& s : sends) {
        const rank_t level = c.switches.level(s.meeting);
        tree_plan_svg_level& at = all[static_cast<std::size_t>(level)];
        at.level = level;
        at.least = at.sends == 0 ? s.takes() : std::min(at.least, s.takes());
        at.most = std::max(at.most, s.takes());
        ++at.sends;
        at.switches.push_back(s.meeting);
    }
    std::erase_if(all, [](const tree_plan_svg_level& at) { return at.sends == 0; });
    for (tree_plan_svg_level& at : all) {
        std::sort(at.switches.begin(), at.switches.end());
        at.switches.erase(std::unique(at.switches.begin(), at.switches.end()), at.switches.end());
    }
    return all;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
