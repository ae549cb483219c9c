#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Position in the bytes of a message. It moves forward only. All moves together take O(parts).
template <class Part>
class part_cursor {
  public:
    /// Position in a message without bytes.
    part_cursor() = default;
    /// Position at the first byte of a message.
    /// @param parts  parts of the message; the array outlives the cursor
    explicit part_cursor(std::span<const Part> parts) : parts_(parts) { skip(0); }

    /// Returns whether no bytes are left.
    /// @return true: part() must not be called
    bool done() const { return parts_.empty(); }

    /// Moves forward.
    /// @param size  number of bytes, 0 up to those that are left
    void skip(bytes_t size) {
        at_ += size;
        while (!parts_.empty() && at_ >= parts_.front().size) {
            at_ -= parts_.front().size;
            parts_ = parts_.subspan(1);
        }
    }
    /// Returns the bytes of the part from this position on.
    /// @pre not done()
    /// @return a part of one byte or more
    Part part() const {
        const Part& part = parts_.front();
        return {part.data + at_, part.size - at_, part.area, part.offset + at_};
    }

    /// Names the next bytes, and moves behind them.
    /// @param limit  largest number of bytes
    /// @param list   receives entries {address, size}, as many as it has elements
    /// @param count  receives the number of entries
    /// @return number of bytes that are named
    template <class Entry>
    bytes_t name(bytes_t limit, std::span<Entry> list, std::size_t& count) {
        bytes_t bytes = 0;
        for (count = 0; count < list.size() && !done() && bytes < limit; ++count)
            move(limit - bytes, [&](auto* data, std::size_t size) {
                list[count] = {const_cast<std::byte*>(data), size};
                bytes += static_cast<bytes_t>(size);
            });
        return bytes;
    }
    /// Copies the next `size` bytes to `into`.
    void copy_to(std::byte* into, bytes_t size) {
        while (size > 0 && !done())
            size -= move(size, [&](const std::byte* data, std::size_t n) { std::memcpy(into, data, n), into += n; });
    }
    /// Fills the next `size` bytes from `from`.
    void copy_from(const std::byte* from, bytes_t size) {
        while (size > 0 && !done())
            size -= move(size, [&](std::byte* data, std::size_t n) { std::memcpy(data, from, n), from += n; });
    }

  private:
    /// Calls f(address, size) for the next bytes that are contiguous, `limit` at most, and moves behind them.
    /// @return their number
    bytes_t move(bytes_t limit, auto f) {
        const Part next = part();
        const bytes_t size = std::min(limit, next.size);
        f(next.data, static_cast<std::size_t>(size));
        skip(size);
        return size;
    }

    std::span<const Part> parts_;
    bytes_t at_ = 0;
};

/// Copies the next bytes of a message, whose parts may differ at the two ends, and moves both cursors.
/// @param from  position in the sender's memory
/// @param into  position in the receiver's memory
/// @param size  number of bytes, up to those that are left at both ends
inline void copy_bytes(part_cursor<message::send_part>& from, part_cursor<message::receive_part>& into, bytes_t size) {
    while (size > 0) {
        const message::send_part source = from.part();
        const message::receive_part target = into.part();
        const bytes_t count = std::min({source.size, target.size, size});
        std::memcpy(target.data, source.data, static_cast<std::size_t>(count));
        from.skip(count);
        into.skip(count);
        size -= count;
    }
}

/// Copies bytes, most often 8.
inline void copy_few(std::byte* into, const std::byte* from, bytes_t size) {
    if (size == 8) std::memcpy(into, from, 8);
    else if (size > 0) std::memcpy(into, from, static_cast<std::size_t>(size));
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
