#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Position in the bytes of a message. It moves forward only. All moves together take O(parts).
template <class Part>
class part_cursor {
  public:
    /// Position in a message without bytes.
    part_cursor() = default;
    /// Position at the first byte of a message.
    /// @param parts  parts of the message; the array outlives the cursor
    explicit part_cursor(std::span<const Part> parts) : left_(parts) { skip(0); }

    /// Returns whether no bytes are left.
    /// @return true: here() must not be called
    bool done() const { return left_.empty(); }

    /// Moves forward.
    /// @param size  number of bytes, 0 up to those that are left
    void skip(bytes_t size) {
        at_ += size;
        while (!left_.empty() && at_ >= left_.front().size) {
            at_ -= left_.front().size;
            left_ = left_.subspan(1);
        }
    }
    /// Returns the rest of the part at this position.
    /// @pre not done()
    /// @return a part of one byte or more
    Part here() const {
        const Part& part = left_.front();
        return {part.data + at_, part.size - at_, part.area, part.offset + at_};
    }

  private:
    std::span<const Part> left_;
    bytes_t at_ = 0;
};

/// Copies the next bytes of a message, whose parts may differ at the two ends, and moves both cursors.
/// @param from  position in the sender's memory
/// @param into  position in the receiver's memory
/// @param size  number of bytes, up to those that are left at both ends
inline void copy_bytes(part_cursor<send_part>& from, part_cursor<receive_part>& into, bytes_t size) {
    while (size > 0) {
        const send_part source = from.here();
        const receive_part target = into.here();
        bytes_t now = source.size < target.size ? source.size : target.size;
        if (size < now) now = size;
        std::memcpy(target.data, source.data, static_cast<std::size_t>(now));
        from.skip(now);
        into.skip(now);
        size -= now;
    }
}

}}  // namespace collsched::COLLSCHED_ABI
