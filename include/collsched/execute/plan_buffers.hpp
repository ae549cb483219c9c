#pragma once

#include <cstddef>

#include "collsched/execute/plan.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Memory bound to a plan at start; each has at least the size that the plan requires. In place, the caller passes
/// input and output that overlap as contract::alias describes; start() checks this where no address is null.
struct plan::buffers {
    const std::byte* input = nullptr;  ///< plan::input_bytes() bytes or more; only read
    std::byte* output = nullptr;       ///< plan::output_bytes() bytes or more
    std::byte* scratch = nullptr;      ///< plan::scratch_bytes() bytes or more
    std::byte* staging = nullptr;      ///< execution::staging_bytes() bytes or more

    bool operator==(const buffers&) const = default;

    /// Returns the part of a message, or the operand, at a range of input, output or scratch.
    /// @param range  a range of a plan, in any buffer
    /// @return its address, size, buffer and offset
    message::send_part readable(const detail::memory_range& range) const {
        const std::byte* base = range.where == message::area::input     ? input
                                : range.where == message::area::output  ? output
                                : range.where == message::area::scratch ? scratch
                                                                        : staging;
        return {at(base, range.offset), range.size, range.where, range.offset};
    }
    /// Returns the part of a message, or the target, at a range of output, scratch or staging.
    /// @param range  a range of a plan, not in input
    /// @return its address, size, buffer and offset
    message::receive_part writable(const detail::memory_range& range) const {
        std::byte* base = range.where == message::area::output    ? output
                          : range.where == message::area::scratch ? scratch
                                                                  : staging;
        return {at(base, range.offset), range.size, range.where, range.offset};
    }

  private:
    /// Returns an address in a buffer; null in one that is not used.
    template <class Byte>
    static Byte* at(Byte* base, bytes_t offset) {
        return base == nullptr ? nullptr : base + offset;
    }
};

}}  // namespace collsched::COLLSCHED_ABI
