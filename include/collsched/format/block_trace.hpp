#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/verify/contents.hpp"

namespace collsched {

/// Some bytes of a block: [bytes.offset, bytes.end()) of what `block`'s owner brought.
struct block_part {
    rank_t block = 0;
    byte_range bytes;
    bool operator==(const block_part&) const = default;
};

/// Can block_trace tell blocks apart under this contract? (Where every rank brings exactly its block, or one brings all.)
constexpr bool traces_blocks(const contract& c) {
    return c.what == collective::allgather || c.what == collective::gather || c.what == collective::scatter;
}

/// Follows the blocks through the buffers of all ranks, step by step: which blocks does an edge carry?
/// Keeps no edges; a part of an edge that reads bytes nobody wrote carries nothing. In place, input lies where the contract
/// says, as placed_in_place tells its edges.
class block_trace {
  public:
    explicit block_trace(const stored_schedule& s, binding how = binding::separate) : held_(3 * s.ranks) {
        const contract& c = s.promise();
        if (!traces_blocks(c)) return;
        for (rank_t r = 0; r < s.ranks; ++r) {
            if (c.blocks.count(r) == 0) continue;
            const bool at_root = c.what == collective::scatter;
            const rank_t holder = at_root ? c.root : r;
            const location first = locate(c.alias(holder, how), buffer::input, at_root ? c.blocks.displ(r) : 0);
            at(holder, first.where).write({.begin = first.offset, .end = first.offset + c.blocks.count(r), .value = r});
        }
    }

    /// Calls f(edge, std::span<const block_part>) for every edge; `edges` are all edges of the step.
    template <class F>
    void step(std::span<const edge> edges, F f) {
        moved_.clear();
        for (const edge& e : edges) {
            parts_.clear();
            at(e.src, e.from).visit(e.source(), [&](const contents::segment& held, byte_range range) {
                const byte_range bytes{held.operand_offset(range.offset), range.size};
                moved_.push_back({&e, range.offset - e.from_offset, {held.value, bytes}});
                parts_.push_back({held.value, bytes});
                return true;
            });
            f(e, std::span<const block_part>(parts_));
        }
        for (const moved& m : moved_) {
            const bytes_t begin = m.into->into_offset + m.offset;
            at(m.into->dst, m.into->into)
                .write({.begin = begin,
                        .end = begin + m.part.bytes.size,
                        .value = m.part.block,
                        .at = m.part.bytes.offset});
        }
    }

  private:
    struct moved {
        const edge* into;
        bytes_t offset;
        block_part part;
    };

    contents& at(rank_t r, buffer where) { return held_[3 * r + static_cast<rank_t>(where)]; }

    owned_array<contents> held_;
    std::vector<moved> moved_;
    std::vector<block_part> parts_;
};

/// Calls f(edges of the step) for every step that has any, in order.
template <class F>
void for_each_step(std::span<const edge> edges, F f) {
    for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
        while (last < edges.size() && edges[last].step == edges[first].step) ++last;
        f(edges.subspan(first, last - first));
    }
}

/// The whole blocks among the parts, ascending; false if some block is there only in part.
inline bool whole_blocks(const block_layout& blocks, std::span<const block_part> parts, std::vector<rank_t>& whole) {
    std::vector<block_part> sorted(parts.begin(), parts.end());
    std::sort(sorted.begin(), sorted.end(), [](const block_part& a, const block_part& b) {
        return a.block != b.block ? a.block < b.block : a.bytes.offset < b.bytes.offset;
    });
    bool all_whole = true;
    whole.clear();
    for (std::size_t i = 0; i < sorted.size();) {
        const rank_t block = sorted[i].block;
        bytes_t next = 0;
        for (; i < sorted.size() && sorted[i].block == block; ++i)
            if (sorted[i].bytes.offset <= next) next = std::max(next, sorted[i].bytes.end());
        if (next == blocks.count(block)) whole.push_back(block);
        else all_whole = false;
    }
    return all_whole;
}

/// Ascending blocks as cyclic intervals. Blocks without bytes between two others join them.
inline std::vector<block_interval> intervals_of(const block_layout& blocks, rank_t ranks,
                                                std::span<const rank_t> list) {
    std::vector<block_interval> found;
    const auto joined = [&](rank_t end, rank_t next) {
        while (end < next && blocks.count(end) == 0) ++end;
        return end >= next;
    };
    for (const rank_t block : list) {
        if (!found.empty() && joined(found.back().first + found.back().count, block))
            found.back().count = block + 1 - found.back().first;
        else found.push_back({block, 1});
    }
    if (found.size() < 2 || !joined(found.back().first + found.back().count, ranks) || !joined(0, found.front().first))
        return found;
    found.back().count = ranks - found.back().first + found.front().first + found.front().count;
    found.erase(found.begin());
    return found;
}

/// "3", "2-5", "14-1" (counting on from p-1 to 0), "0,2-3"; parts of blocks as "3[0,8)".
inline std::string block_label(const block_layout& blocks, rank_t ranks, std::span<const block_part> parts) {
    std::string label;
    const auto out = std::back_inserter(label);
    std::vector<rank_t> whole;
    if (!whole_blocks(blocks, parts, whole)) {
        for (const block_part& part : parts)
            fmt::format_to(out, FMT_COMPILE("{}{}[{},{})"), label.empty() ? "" : ",", part.block, part.bytes.offset,
                           part.bytes.end());
        return label;
    }
    for (const block_interval& run : intervals_of(blocks, ranks, whole)) {
        fmt::format_to(out, FMT_COMPILE("{}{}"), label.empty() ? "" : ",", run.first);
        if (run.count > 1) fmt::format_to(out, FMT_COMPILE("-{}"), wrap(run.first + run.count - 1, ranks));
    }
    return label;
}

}  // namespace collsched
