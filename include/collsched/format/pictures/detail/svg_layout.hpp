#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "collsched/format/schedules/detail/message_trace.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Positions in the picture of a schedule, in user units: ranks are rows, steps are columns. A column begins with the
/// *card* of each rank, which shows the blocks that it holds and sends. Arrows lead from there to the cards of the next
/// column.
struct svg_layout {
    bool labels = true;  ///< whether the labels of messages are shown
    bool bars = true;    ///< whether the cards show the held blocks
    double row = 0;
    double card = 0;
    double left = 0, top = 0, width = 0, height = 0;
    std::vector<double> columns;  ///< start of the cards of each step; the last entry is the start of the closing cards

    double y(rank_t r) const { return top + row * (static_cast<double>(r) + 0.5); }
    double x(step_t k) const { return columns[static_cast<std::size_t>(k)]; }
    double right() const { return columns.back() + card; }
    /// Returns the horizontal position of the ring of a local copy in step k.
    double ring(step_t k) const { return x(k) + card + (labels ? 5 : 3); }
    double tail(step_t k) const { return x(k) + card + (labels ? 9 : 6); }
    double head(step_t k) const { return x(k + 1) - 3; }
};

/// Returns the layout of a schedule. `longest_label` is the number of characters of the longest text over a card. `top`
/// is the vertical position of the first rank.
inline svg_layout lay_out(const stored_schedule& s, std::span<const traced_message> messages, std::size_t longest_label,
                          double top = 116) {
    constexpr double aimed_width = 1240, margin = 28, line = 19, least_width = 720;
    svg_layout at;
    const rank_t p = s.ranks;
    at.row = p <= 8 ? 44 : p <= 16 ? 33 : p <= 32 ? 27 : p <= 64 ? 13 : 8;
    at.labels = p <= 32;
    at.bars = traces_blocks(s.promise()) && s.promise().collective != collective::alltoall;  // its blocks are too many
    at.left = margin + 14 + 8 * static_cast<double>(std::to_string(p - 1).size());
    at.top = top;

    std::vector<bool> has_arrows(static_cast<std::size_t>(s.steps()));
    for (const traced_message& m : messages)
        if (!m.is_local()) has_arrows[static_cast<std::size_t>(m.step)] = true;
    const auto steps = static_cast<double>(std::max<step_t>(s.steps(), 1));
    const double column = (aimed_width - 2 * at.left) / (steps + 0.3);
    const double least_card = at.labels ? std::max(34.0, 6.2 * static_cast<double>(longest_label) + 4) : 24;
    at.card =
        std::clamp(0.32 * column, least_card, std::max(least_card, std::min(96.0, 40 + 6.0 * static_cast<double>(p))));
    const double arrows = std::clamp(column - at.card, at.labels ? 44.0 : 24.0, 170.0);
    double x = at.left;
    for (const bool any : has_arrows) {
        at.columns.push_back(x);
        x += at.card + (any ? arrows : std::min(arrows, 36.0));
    }
    at.columns.push_back(x);
    at.width = std::max(at.right() + at.left, least_width);
    const double shift = (at.width - at.right() - at.left) / 2;
    for (double& begin : at.columns) begin += shift;
    at.left += shift;
    at.height = at.y(p) - at.row / 2 + (at.bars ? 98 : 98 - 2 * line);
    return at;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
