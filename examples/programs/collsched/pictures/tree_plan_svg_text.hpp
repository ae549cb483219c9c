#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/text.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched::pictures {

/// One send of a tree plan, with times in picoseconds. The sender is busy from `start` to `sent`, the message arrives
/// at `arrived`, and the receiver is busy from `accepted` to `ready`.
struct tree_plan_svg_send {
    rank_t from = 0, to = 0;
    rank_t common_switch = 0;  ///< lowest switch above both nodes
    picoseconds start = 0, sent = 0, arrived = 0, accepted = 0, ready = 0;

    /// Returns the duration of the send without the wait at a busy receiver.
    constexpr picoseconds takes() const { return arrived - start + (ready - accepted); }
    bool operator==(const tree_plan_svg_send&) const = default;
};

/// Returns the sends in the order of the plan, with the times of ready_times(). O(ranks + sum of the path lengths in
/// the tree).
inline std::vector<tree_plan_svg_send> tree_plan_svg_sends(const cluster& c, const tree_plan& plan) {
    std::vector<tree_plan_svg_send> sends;
    owned_array<picoseconds> ready(c.cost.ranks());
    for (const auto& [parent, child] : plan.edges) {
        const rank_t i = plan.many_to_one ? child : parent, j = plan.many_to_one ? parent : child;
        tree_plan_svg_send s{
            .from = i, .to = j, .common_switch = c.cost.switches().common_switch(i, j), .start = ready[i]};
        s.sent = ready[i] = s.start + c.cost.overhead(i) + c.cost.stream(i, j, plan.bytes);
        s.arrived = s.sent + c.cost.latency(i, j);
        s.accepted = std::max(ready[j], s.arrived);
        s.ready = ready[j] = s.accepted + c.cost.overhead(j);
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
    std::vector<tree_plan_svg_level> all(static_cast<std::size_t>(c.cost.switches().levels()));
    for (const tree_plan_svg_send& s : sends) {
        const rank_t level = c.cost.switches().level(s.common_switch);
        tree_plan_svg_level& at = all[static_cast<std::size_t>(level)];
        at.level = level;
        at.least = at.sends == 0 ? s.takes() : std::min(at.least, s.takes());
        at.most = std::max(at.most, s.takes());
        ++at.sends;
        at.switches.push_back(s.common_switch);
    }
    std::erase_if(all, [](const tree_plan_svg_level& at) { return at.sends == 0; });
    for (tree_plan_svg_level& at : all) {
        std::sort(at.switches.begin(), at.switches.end());
        at.switches.erase(std::unique(at.switches.begin(), at.switches.end()), at.switches.end());
    }
    return all;
}

/// The texts in the picture of a tree plan: names of nodes and switches, and times. The cluster must outlive the
/// object.
class tree_plan_svg_text {
  public:
    static constexpr std::size_t longest_name = 28;

    explicit tree_plan_svg_text(const cluster& c) : c_(c) {}

    /// Returns the name of the node of rank r, or the rank if it has no name.
    std::string node(rank_t r) const {
        const auto i = static_cast<std::size_t>(r);
        return i < c_.names.size() && !c_.names[i].empty() ? c_.names[i] : std::to_string(r);
    }
    /// Returns the name of a switch, or "level 1" if it has no name.
    std::string switch_name(rank_t e) const {
        const auto i = static_cast<std::size_t>(e);
        return i < c_.switch_names.size() && !c_.switch_names[i].empty() ? c_.switch_names[i]
                                                                         : level_name(c_.cost.switches().level(e));
    }
    /// Returns the switches that a message passes: "site a - wan - site b". A long path up or down is shown by its two
    /// ends.
    std::string way(rank_t from, rank_t to) const {
        const rank_t top = c_.cost.switches().common_switch(from, to);
        const std::string up = climb(from, top, true), down = climb(to, top, false);
        return up + switch_name(top) + down;
    }

    /// Returns the summary of a plan: "1024 bytes from a0 to 3 other ranks, complete after 904 us".
    std::string facts(const tree_plan& plan) const {
        if (plan.error) return fmt::format(FMT_COMPILE("no plan: {}"), plan.error.text().c_str());
        const std::string bytes = bytes_text(plan.bytes), root = node(plan.root);
        const rank_t n = c_.cost.switches().nodes() - 1;
        if (n < 1) return fmt::format(FMT_COMPILE("{} at {}, no other rank"), bytes, root);
        const std::string receivers = fmt::format(FMT_COMPILE("{} other rank{}"), n, plural(n));
        return fmt::format(FMT_COMPILE("{} from {} to {}, complete after {} us"), bytes,
                           plan.many_to_one ? receivers : root, plan.many_to_one ? root : receivers,
                           short_us(plan.completion));
    }
    /// Returns the summary of a level: "2 sends over site a, site b (level 1), 32.96 to 48.23 us each".
    std::string sends(const tree_plan_svg_level& at) const {
        const std::string where = places(at), level = level_name(at.level);
        std::string times = short_us(at.most);
        if (const std::string least = short_us(at.least); least != times) times = least + " to " + times;
        return fmt::format(FMT_COMPILE("{} send{} over {}{}, {} us{}"), at.sends, plural(at.sends), where,
                           where == level ? "" : " (" + level + ")", times, at.sends == 1 ? "" : " each");
    }
    /// Returns the description of a send: "a0 -> b1: 1024 bytes, 22.230000 to 871.027000 us, over site a - wan - site
    /// b".
    std::string send(const tree_plan_svg_send& s, bytes_t bytes) const {
        return fmt::format(FMT_COMPILE("{} -> {}: {}, {} to {} us, over {}"), node(s.from), node(s.to),
                           bytes_text(bytes), microseconds(s.start), microseconds(s.ready), way(s.from, s.to));
    }

    static const char* plural(std::int64_t n) { return n == 1 ? "" : "s"; }
    /// Returns a time in microseconds with four digits, or with all digits before the point: "530.5", "1533".
    static std::string short_us(picoseconds t) {
        const double time = static_cast<double>(t) / 1e6;
        return time < 9999.5 ? fmt::format(FMT_COMPILE("{:.4g}"), time) : fmt::format(FMT_COMPILE("{:.0f}"), time);
    }
    /// Calls f(time) for the ticks of an axis up to `last`: 0 and at most ten more. Their distance is the smallest of
    /// 1, 2, 5, 10, 20 ... picoseconds that gives so few ticks.
    template <class F>
    static void for_each_tick(picoseconds last, F f) {
        const picoseconds step = [&] {
            for (picoseconds power = 1;; power *= 10)
                for (const picoseconds n : {1, 2, 5})
                    if (n * power > last / 10) return n * power;
        }();
        f(0);
        for (picoseconds t = 0; step <= last - t;) f(t += step);
    }
    /// Returns the number of characters in a UTF-8 text.
    static std::size_t width(std::string_view utf8) {
        std::size_t n = 0;
        for (const char c : utf8) n += starts_character(c);
        return n;
    }
    /// Returns at most `most` characters of a text. The last one is an ellipsis if characters are missing.
    static std::string clipped(std::string_view utf8, std::size_t most = longest_name) {
        if (width(utf8) <= most) return std::string(utf8);
        std::size_t end = 0, n = 0;
        while (!starts_character(utf8[end]) || ++n < most) ++end;
        return std::string(utf8.substr(0, end)) + "…";
    }

  private:
    static std::string level_name(rank_t level) { return "level " + std::to_string(level); }

    /// Returns the names of the switches of a level: "site a, site b, site c and 2 more".
    std::string places(const tree_plan_svg_level& at) const {
        std::vector<std::string> names;
        for (const rank_t e : at.switches)
            if (std::string name = clipped(switch_name(e)); names.empty() || names.back() != name)
                names.push_back(std::move(name));
        const std::size_t omitted = names.size() - std::min<std::size_t>(names.size(), 3);
        names.resize(names.size() - omitted);
        const std::string list = fmt::format(FMT_COMPILE("{}"), fmt::join(names, ", "));
        return omitted == 0 ? list : fmt::format(FMT_COMPILE("{} and {} more"), list, omitted);
    }

    static constexpr bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

    /// Returns the path from the switch of node c up to the one below `top`, or back down.
    std::string climb(rank_t c, rank_t top, bool upwards) const {
        std::string words;
        const rank_t lowest = c_.cost.switches().home(c), highest = c_.cost.switches().level(top) + 1;
        const bool is_long = c_.cost.switches().level(lowest) > highest + 2;
        for (rank_t e = lowest; e != top; e = c_.cost.switches().parent(e)) {
            const bool inner = is_long && e != lowest && c_.cost.switches().level(e) > highest;
            if (inner && e != c_.cost.switches().parent(lowest)) continue;
            const std::string name = inner ? "..." : switch_name(e);
            words = upwards ? words + name + " - " : " - " + name + words;
        }
        return words;
    }

    const cluster& c_;
};

}  // namespace collsched::pictures
