#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A place in the bytes of a message, which moves forward only, so that all moves together take O(pieces).
template <class Piece>
class piece_cursor {
  public:
    piece_cursor() = default;
    explicit piece_cursor(std::span<const Piece> pieces) : left_(pieces) { skip(0); }

    bool done() const { return left_.empty(); }

    /// Moves on by so many bytes, at most as many as are left.
    void skip(bytes_t size) {
        at_ += size;
        while (!left_.empty() && at_ >= left_.front().size) {
            at_ -= left_.front().size;
            left_ = left_.subspan(1);
        }
    }
    /// What is left of the piece at this place. There must be bytes left.
    Piece here() const { return {left_.front().data + at_, left_.front().size - at_}; }

  private:
    std::span<const Piece> left_;
    bytes_t at_ = 0;
};

/// Copies the next bytes of a message, however either end has cut it; both cursors move on.
inline void copy_bytes(piece_cursor<const_piece>& from, piece_cursor<piece>& into, bytes_t size) {
    while (size > 0) {
        const const_piece source = from.here();
        const piece target = into.here();
        const bytes_t now = std::min({size, source.size, target.size});
        std::memcpy(target.data, source.data, static_cast<std::size_t>(now));
        from.skip(now);
        into.skip(now);
        size -= now;
    }
}

}}  // namespace collsched::COLLSCHED_ABI
