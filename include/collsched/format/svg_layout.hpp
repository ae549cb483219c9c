#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "collsched/format/message_trace.hpp"

namespace collsched {

/// Where things lie in the picture of a schedule, in user units: ranks are rows, steps are columns. A column begins with
/// the rank's *card* (what it holds and sends), then come the arrows.
struct svg_layout {
    bool labels = true;  ///< room for what the messages carry?
    bool bars = true;    ///< do the cards show the blocks held?
    double row = 0;
    double card = 0;
    double left = 0, top = 0, width = 0, height = 0;
    std::vector<double> columns;  ///< where the card of each step begins; last, where the closing card does

    double y(rank_t r) const { return top + row * (static_cast<double>(r) + 0.5); }
    double x(step_t k) const { return columns[static_cast<std::size_t>(k)]; }
    double right() const { return columns.back() + card; }
    /// Where the arrows of a step begin and end.
    double tail(step_t k) const { return x(k) + card + 3; }
    double head(step_t k) const { return x(k + 1) - 3; }
};

/// `labels` are the texts over the cards, in characters the longest one.
inline svg_layout lay_out(const stored_schedule& s, std::span<const traced_message> messages, std::size_t longest_label) {
    constexpr double aimed_width = 1240, margin = 28, legend = 74, least_width = 760;
    svg_layout at;
    const rank_t p = s.ranks;
    at.row = p <= 8 ? 42 : p <= 16 ? 32 : p <= 32 ? 26 : p <= 64 ? 14 : 8;
    at.labels = p <= 32;
    at.bars = traces_blocks(s.promise());
    at.card = at.labels ? std::max(34.0, 6.2 * static_cast<double>(longest_label) + 4) : p <= 64 ? 34 : 26;
    at.left = margin + 14 + 8 * static_cast<double>(std::to_string(p - 1).size());
    at.top = 112;

    std::vector<bool> has_arrows(static_cast<std::size_t>(s.steps()));
    for (const traced_message& m : messages)
        if (!m.is_local()) has_arrows[static_cast<std::size_t>(m.step)] = true;
    const auto steps = static_cast<double>(std::max<step_t>(s.steps(), 1));
    const double share = (aimed_width - at.left - margin) / steps - at.card;
    const double arrows = std::clamp(share, at.labels ? 40.0 : 26.0, 150.0);
    double x = at.left;
    for (const bool any : has_arrows) {
        at.columns.push_back(x);
        x += at.card + (any ? arrows : 24);
    }
    at.columns.push_back(x);
    at.width = std::max(at.right() + at.left, least_width);
    const double shift = (at.width - at.right() - at.left) / 2;
    for (double& column : at.columns) column += shift;
    at.left += shift;
    at.height = at.y(p) - at.row / 2 + legend;
    return at;
}

}  // namespace collsched
