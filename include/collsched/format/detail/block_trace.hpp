#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/schedule/detail/edge_steps.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/verify/detail/results.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A range of the bytes of one block: [bytes.offset, bytes.end()) of the input that the owner of `block` contributes.
struct block_part {
    rank_t block = 0;
    byte_range bytes;
    bool operator==(const block_part&) const = default;
};

/// Returns whether block_trace can distinguish the blocks of this contract: every rank contributes exactly its block,
/// or one rank contributes all blocks.
constexpr bool traces_blocks(const contract& c) {
    return c.collective == collective::allgather || c.collective == collective::gather ||
           c.collective == collective::scatter || c.collective == collective::alltoall;
}

/// The numbered blocks of a contract that block_trace can follow. Block i belongs to rank i. In a complete exchange
/// block i * p + j is sent from rank i to rank j.
class traced_blocks {
  public:
    explicit traced_blocks(const contract& c) : contract_(c) {}

    bytes_t count(rank_t block) const {
        return exchange() ? contract_.matrix().count(owner(block), block % contract_.ranks)
                          : contract_.layout().count(block);
    }
    /// Returns the rank whose color the block has: its source, or its destination in a scatter.
    rank_t owner(rank_t block) const { return exchange() ? block / contract_.ranks : block; }
    /// Returns the number of blocks per row. Intervals of blocks are within one row.
    rank_t row() const { return contract_.ranks; }
    bool cyclic() const { return !exchange(); }
    /// Returns the label of a block: "3", or "0>3" for a block from rank 0 to rank 3.
    std::string name(rank_t block) const {
        return exchange() ? fmt::format(FMT_COMPILE("{}>{}"), owner(block), block % contract_.ranks)
                          : fmt::format(FMT_COMPILE("{}"), block);
    }

  private:
    bool exchange() const { return contract_.collective == collective::alltoall; }
    contract contract_;
};

/// Follows the blocks through the buffers of all ranks, step by step, and reports which blocks each edge carries. The
/// trace stores no edges. A part of an edge that reads bytes which no rank has written carries no block. In an in-place
/// schedule the input is the region of the output that bind_in_place assigns to it.
class block_trace {
  public:
    explicit block_trace(const stored_schedule& s, binding binding = binding::separate) : held_(3 * s.ranks) {
        const contract& c = s.contract();
        if (!traces_blocks(c)) return;
        const auto put = [&](rank_t r, bytes_t displ, bytes_t count, rank_t block) {
            const location first = locate(c.alias(r, binding), buffer::input, displ);
            if (count > 0)
                at(r, first.where).write({.begin = first.offset, .end = first.offset + count, .value = block});
        };
        for (rank_t r = 0; r < s.ranks; ++r) {
            if (c.collective == collective::alltoall)
                for (rank_t j = 0; j < s.ranks; ++j)
                    put(r, c.matrix().send_displ(r, j), c.matrix().count(r, j), r * s.ranks + j);
            else if (c.collective == collective::scatter) put(c.root, c.layout().displ(r), c.layout().count(r), r);
            else put(r, 0, c.layout().count(r), r);
        }
    }

    /// Calls f(edge, std::span<const block_part>) for every edge of a step. `edges` contains all edges of the step.
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

/// Collects the complete blocks among the parts, ascending. Returns false if a block is present only in part.
inline bool whole_blocks(const traced_blocks& blocks, std::span<const block_part> parts,
                         std::vector<rank_t>& complete) {
    std::vector<block_part> sorted(parts.begin(), parts.end());
    std::sort(sorted.begin(), sorted.end(), [](const block_part& a, const block_part& b) {
        return a.block != b.block ? a.block < b.block : a.bytes.offset < b.bytes.offset;
    });
    bool all_whole = true;
    complete.clear();
    for (std::size_t i = 0; i < sorted.size();) {
        const rank_t block = sorted[i].block;
        bytes_t next = 0;
        for (; i < sorted.size() && sorted[i].block == block; ++i)
            if (sorted[i].bytes.offset <= next) next = std::max(next, sorted[i].bytes.end());
        if (next == blocks.count(block)) complete.push_back(block);
        else all_whole = false;
    }
    return all_whole;
}

/// Returns ascending blocks as intervals. Intervals of blocks that wrap around are cyclic. Empty blocks between two
/// intervals join them.
inline std::vector<block_interval> intervals_of(const traced_blocks& blocks, std::span<const rank_t> list) {
    std::vector<block_interval> found;
    const auto joined = [&](rank_t end, rank_t next) {
        while (end < next && blocks.count(end) == 0) ++end;
        return end >= next;
    };
    for (const rank_t block : list) {
        if (!found.empty() && block / blocks.row() == found.back().first / blocks.row() &&
            joined(found.back().first + found.back().count, block))
            found.back().count = block + 1 - found.back().first;
        else found.push_back({block, 1});
    }
    if (!blocks.cyclic() || found.size() < 2 || !joined(found.back().first + found.back().count, blocks.row()) ||
        !joined(0, found.front().first))
        return found;
    found.back().count = blocks.row() - found.back().first + found.front().first + found.front().count;
    found.erase(found.begin());
    return found;
}

/// Returns the label of a list of parts. Ranges of blocks are "3", "2-5", "14-1" (wraps from p-1 to 0) and "0,2-3".
/// Blocks from rank 0 to ranks 3, 4 and 5 are "0>3-5". Parts of blocks are "3[0,8)".
inline std::string block_label(const traced_blocks& blocks, std::span<const block_part> parts) {
    std::string label;
    const auto out = std::back_inserter(label);
    std::vector<rank_t> complete;
    if (!whole_blocks(blocks, parts, complete)) {
        for (const block_part& part : parts)
            fmt::format_to(out, FMT_COMPILE("{}{}[{},{})"), label.empty() ? "" : ",", blocks.name(part.block),
                           part.bytes.offset, part.bytes.end());
        return label;
    }
    for (const block_interval& run : intervals_of(blocks, complete)) {
        fmt::format_to(out, FMT_COMPILE("{}{}"), label.empty() ? "" : ",", blocks.name(run.first));
        if (run.count > 1) fmt::format_to(out, FMT_COMPILE("-{}"), (run.first + run.count - 1) % blocks.row());
    }
    return label;
}

/// A message, or all copies of one step within one rank, with the blocks that it carries.
struct traced_message {
    step_t step = 0;
    rank_t src = 0;
    rank_t dst = 0;
    bytes_t bytes = 0;
    std::span<const edge> edges;         ///< edges of the schedule, in canonical order
    std::vector<block_part> parts{};     ///< parts of blocks carried; empty if block_trace cannot distinguish them
    std::vector<rank_t> whole_blocks{};  ///< complete blocks among the parts, ascending

    bool is_local() const { return src == dst; }
};

/// Returns the messages and copies of a schedule in canonical order. They refer to edges of `s`.
inline std::vector<traced_message> trace_messages(const stored_schedule& s, binding binding = binding::separate) {
    std::vector<traced_message> messages;
    block_trace trace(s, binding);
    for_each_step(s.edges(), [&](std::span<const edge> edges) {
        std::size_t at = 0;
        trace.step(edges, [&](const edge& e, std::span<const block_part> parts) {
            const bool joins = at > 0 && messages.back().src == e.src && messages.back().dst == e.dst;
            if (!joins) messages.push_back({.step = e.step, .src = e.src, .dst = e.dst, .edges = edges.subspan(at, 0)});
            traced_message& m = messages.back();
            m.bytes += e.size;
            m.edges = {m.edges.data(), m.edges.size() + 1};
            m.parts.insert(m.parts.end(), parts.begin(), parts.end());
            ++at;
        });
    });
    const traced_blocks blocks(s.contract());
    for (traced_message& m : messages) whole_blocks(blocks, m.parts, m.whole_blocks);
    return messages;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
