#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/format/detail/block_trace.hpp"
#include "collsched/format/text.hpp"

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
    at.bars =
        traces_blocks(s.contract()) && s.contract().collective != collective::alltoall;  // its blocks are too many
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

/// The bars in a picture: one position per block, filled for blocks that a rank holds and with a bold stroke for blocks
/// that it sends. The object follows the blocks from step to step. Memory ranks^2 bits, plus the contents of blocks
/// that arrive in parts.
class svg_bars {
  public:
    explicit svg_bars(const stored_schedule& s) : ranks_(s.ranks), held_(static_cast<std::size_t>(s.ranks * s.ranks)) {
        const contract& contract = s.contract();
        for (rank_t block = 0; block < ranks_; ++block) {
            sizes_.push_back(contract.layout().count(block));
            held(contract.collective == collective::scatter ? contract.root : block, block) = sizes_.back() > 0;
        }
    }

    /// Draws the bars before step k, with strokes over the blocks that the messages of the step carry.
    template <class Out>
    void put_column(pen<Out>& put, const svg_layout& at, step_t k, std::span<const traced_message> messages) {
        const int thin = at.labels ? 4 : 3, bold = at.labels ? 10 : 7;
        const auto stroke = [&](int weight) {
            put(FMT_COMPILE("\"/><path stroke=\"url(#blocks)\" fill=\"none\" stroke-width=\"{}\" d=\""), weight);
        };
        put(FMT_COMPILE("<g transform=\"translate({:.1f})\"><path class=\"track\" stroke-width=\"{}\" d=\""), at.x(k),
            thin);
        for (rank_t r = 0; r < ranks_; ++r) put(FMT_COMPILE("M0 {:.1f}h{:.1f}"), at.y(r), at.card);
        stroke(thin);
        for (rank_t r = 0; r < ranks_; ++r)
            put_bar(put, at, r, [&](rank_t block) { return static_cast<bool>(held(r, block)); });
        stroke(bold);
        for (const traced_message& m : messages)
            if (!m.is_local())
                put_bar(put, at, m.src, [&, next = m.whole_blocks.begin()](rank_t block) mutable {
                    const bool sent = next != m.whole_blocks.end() && *next == block;
                    next += sent ? 1 : 0;
                    return sent;
                });
        put.text("\"/></g>\n");
    }

    /// Records the blocks that these messages deliver. A rank holds a block when all its bytes have arrived.
    void deliver(std::span<const traced_message> messages) {
        for (const traced_message& m : messages)
            for (const block_part& part : m.parts)
                if (!held(m.dst, part.block)) held(m.dst, part.block) = completes(m.dst, part);
    }

  private:
    std::vector<bool>::reference held(rank_t r, rank_t block) {
        return held_[static_cast<std::size_t>(r * ranks_ + block)];
    }

    /// Returns whether rank r holds the complete block after it receives this part.
    bool completes(rank_t r, const block_part& part) {
        const bytes_t size = sizes_[static_cast<std::size_t>(part.block)];
        if (part.bytes.size == size) return true;
        contents& came = partly_held_[{r, part.block}];
        came.write({.begin = part.bytes.offset, .end = part.bytes.end(), .value = part.block, .at = part.bytes.offset});
        const contents::segment* const first = came.find(0);
        return first != nullptr && first->end == size;
    }

    /// Draws strokes over the blocks for which has(block) is true. Calls `has` in ascending order of block.
    template <class Out, class Has>
    void put_bar(pen<Out>& put, const svg_layout& at, rank_t r, Has has) const {
        const double cell = at.card / static_cast<double>(ranks_);
        rank_t first = -1;
        for (rank_t block = 0; block <= ranks_; ++block) {
            const bool on = block < ranks_ && has(block);
            if (on && first < 0) first = block;
            if (on || first < 0) continue;
            put(FMT_COMPILE("M{:.2f} {:.1f}h{:.2f}"), cell * static_cast<double>(first), at.y(r),
                std::max(1.0, cell * static_cast<double>(block - first)));
            first = -1;
        }
    }

    rank_t ranks_;
    std::vector<bytes_t> sizes_;  // per block
    std::vector<bool> held_;
    std::map<std::pair<rank_t, rank_t>, contents> partly_held_;  // by rank and block
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
