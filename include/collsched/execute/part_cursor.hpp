#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A place in the bytes of a message, which moves forward only, so that all moves together take O(parts).
template <class Part>
class part_cursor {
  public:
    part_cursor() = default;
    explicit part_cursor(std::span<const Part> parts) : left_(parts) { skip(0); }

    bool done() const { return left_.empty(); }

    /// Moves on by so many bytes, at most as many as are left.
    void skip(bytes_t size) {
        at_ += size;
        while (!left_.empty() && at_ >= left_.front().size) {
            at_ -= left_.front().size;
            left_ = left_.subspan(1);
        }
    }
    /// What is left of the part at this place. There must be bytes left.
    Part here() const {
        const Part& part = left_.front();
        return {part.data + at_, part.size - at_, part.area, part.offset + at_};
    }

  private:
    std::span<const Part> left_;
    bytes_t at_ = 0;
};

/// Copies the next bytes of a message, however either end has cut it; both cursors move on.
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
