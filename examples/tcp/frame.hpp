#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "collsched/execute/transport.hpp"

namespace examples {

using namespace collsched;

/// Errors of a tcp_transport.
enum tcp_error : int {
    peer_died = 1,     ///< the connection ended without a goodbye
    peer_closed = 2,   ///< the other rank has closed its transport, and this message will not come or be taken any more
    disagreement = 3,  ///< the two ends run different schedules
    size_mismatch = 4,  ///< a send and its receive are of different sizes
    garbled = 5,        ///< the other end sends what no rank sends
    no_such_peer = 6,   ///< a rank outside of the group, the own one, or one that is not connected
    nobody_left = 7,    ///< no rank is connected: waiting would never end
    bad_address = 8,    ///< not HOST:PORT, an unknown host, or a port that cannot be listened at
    unreachable = 9,    ///< the rank did not come in time
};

/// What travels between two ranks. The receiver speaks first: it says which messages are wanted, and a message is sent
/// when it is. So all bytes that arrive have a place to go, however far apart a send and its receive are posted.
enum class frame_kind : std::uint32_t {
    hello = 1,  ///< id: hello_mark; sequence: the own rank; size: the number of ranks
    wanted,     ///< a receive has been posted
    withdrawn,  ///< it has been cancelled
    data,       ///< the message, `size` bytes, follows
    refused,    ///< the message will not come, because of `error`
    goodbye,    ///< nothing follows; sequence: the rank that died, if one did, or -1
};

/// Goes in front of every message, and alone. In the byte order of the machine: hello tells one that has another.
struct frame {
    frame_kind kind{};
    std::int32_t error = 0;
    std::uint64_t id = 0;  ///< of the receive, given by the receiver, used once
    std::uint64_t channel = 0, generation = 0;
    std::int64_t sequence = 0;
    std::uint64_t fingerprint = 0;
    bytes_t size = 0;
};
static_assert(std::has_unique_object_representations_v<frame> && std::is_trivially_copyable_v<frame>);

inline constexpr std::uint64_t hello_mark = 0x636f6c6c73636802;

/// What is left of the bytes of a message.
template <class Piece>
class piece_cursor {
  public:
    piece_cursor() = default;
    explicit piece_cursor(std::span<const Piece> pieces) : pieces_(pieces), left_(total_bytes(pieces)) {}

    bytes_t left() const { return left_; }

    /// Moves on by so many bytes; the first `size` of them are there.
    void skip(bytes_t size) {
        left_ -= size;
        at_ += size;
        while (!pieces_.empty() && at_ >= pieces_.front().size) {
            at_ -= pieces_.front().size;
            pieces_ = pieces_.subspan(1);
        }
    }

    /// Appends what is left as buffers of Asio, until there are `most`; false if that was not all.
    template <class Buffer>
    bool append_to(std::vector<Buffer>& buffers, std::size_t most) const {
        bytes_t at = at_;
        for (const Piece& one : pieces_) {
            if (buffers.size() == most) return false;
            if (one.size > at) buffers.emplace_back(one.data + at, static_cast<std::size_t>(one.size - at));
            at = 0;
        }
        return true;
    }

  private:
    std::span<const Piece> pieces_;
    bytes_t at_ = 0, left_ = 0;
};

/// A send that is not wanted yet.
struct posted_send {
    message_key key;
    std::span<const const_piece> pieces;
};

/// A receive that the other end knows by its id.
struct posted_receive {
    std::uint64_t id = 0;
    ticket token{};
    piece_cursor<piece> into{};
};

/// A frame, and what follows it, on the way out. Without an owner nobody is told when it is gone.
struct outgoing {
    frame head;
    ticket token{};
    piece_cursor<const_piece> body{};
    std::size_t head_sent = 0;

    bool begun() const { return head_sent > 0; }
    bool ended() const { return head_sent == sizeof head && body.left() == 0; }
};

}  // namespace examples
