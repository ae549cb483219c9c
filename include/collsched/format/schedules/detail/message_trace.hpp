#pragma once

#include <string>
#include <vector>

#include "collsched/format/detail/block_trace.hpp"
#include "collsched/schedule/detail/edge_steps.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

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
    const traced_blocks blocks(s.promise());
    for (traced_message& m : messages) whole_blocks(blocks, m.parts, m.whole_blocks);
    return messages;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
