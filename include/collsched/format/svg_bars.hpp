#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "collsched/format/message_trace.hpp"
#include "collsched/format/pen.hpp"
#include "collsched/format/svg_layout.hpp"

namespace collsched::inline v0_1 {

/// The bars in a picture that show which blocks each rank holds, a place for each block, and in bolder
/// strokes which it sends. Follows the blocks from step to step; ranks^2 bits.
class svg_bars {
  public:
    explicit svg_bars(const stored_schedule& s) : ranks_(s.ranks), held_(static_cast<std::size_t>(s.ranks * s.ranks)) {
        for (rank_t r = 0; r < ranks_; ++r) held(r, r) = s.promise().blocks.count(r) > 0;
    }

    /// The bars before step k, and what the messages of that step carry away.
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

    /// What these messages carry is held where they arrive.
    void deliver(std::span<const traced_message> messages) {
        for (const traced_message& m : messages)
            for (const rank_t block : m.whole_blocks) held(m.dst, block) = true;
    }

  private:
    std::vector<bool>::reference held(rank_t r, rank_t block) {
        return held_[static_cast<std::size_t>(r * ranks_ + block)];
    }

    /// Strokes over the blocks for which has(block), which is asked in ascending order.
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
    std::vector<bool> held_;
};

}  // namespace collsched::inline v0_1
