#pragma once

#include <cstddef>

#include "collsched/execute/transport.hpp"
#include "collsched/schedule/detail/plan_graph.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Memory bound to a plan at start; each has at least the size that the plan requires. In place, the caller passes
/// input and output that overlap as contract::alias describes.
struct bound_buffers {
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    std::byte* scratch = nullptr;
    std::byte* staging = nullptr;

    bool operator==(const bound_buffers&) const = default;

    /// Returns the part of a message, or the operand, at a range of input, output or scratch.
    send_part readable(const detail::memory_range& range) const {
        const std::byte* base = range.where == memory_area::input     ? input
                                : range.where == memory_area::output  ? output
                                : range.where == memory_area::scratch ? scratch
                                                                      : staging;
        return {base + range.offset, range.size, range.where, range.offset};
    }
    /// Returns the part of a message, or the target, at a range of output, scratch or staging.
    receive_part writable(const detail::memory_range& range) const {
        std::byte* base = range.where == memory_area::output    ? output
                          : range.where == memory_area::scratch ? scratch
                                                                : staging;
        return {base + range.offset, range.size, range.where, range.offset};
    }
};

}}  // namespace collsched::COLLSCHED_ABI
