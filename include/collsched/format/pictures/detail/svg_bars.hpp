#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collsched/format/schedules/detail/message_trace.hpp"
#include "collsched/format/detail/pen.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/pictures/detail/svg_layout.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The bars in a picture: one position per block, filled for blocks that a rank holds and with a bold stroke for blocks
/// that it sends. The object follows the blocks from step to step. Memory ranks^2 bits, plus the contents of blocks
/// that arrive in parts.
class svg_bars {
  public:
    explicit svg_bars(const stored_schedule& s) : ranks_(s.ranks), held_(static_cast<std::size_t>(s.ranks * s.ranks)) {
        const contract& promise = s.promise();
        for (rank_t block = 0; block < ranks_; ++block) {
            sizes_.push_back(promise.layout().count(block));
            held(promise.collective == collective::scatter ? promise.root : block, block) = sizes_.back() > 0;
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
