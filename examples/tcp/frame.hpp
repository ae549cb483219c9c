#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "collsched/execute/transport.hpp"
#include "tcp_error.hpp"

namespace examples {

using namespace collsched;

/// Largest number of outstanding requests from one rank to another that a rank may accept. Each rank states its own
/// bound in its hello (tcp_options::pending_bytes).
inline constexpr std::size_t most_requests = 65'536;

/// Memory in bytes for a request that has no reply yet: an entry of a map, or a reply in the outbox.
inline constexpr std::size_t bytes_per_request = 128;

/// Types of frames. The receiver requests each message, and the sender replies to every request once. All received
/// bytes therefore have a destination, in whatever order a send and its receive are posted.
enum class frame_kind : std::uint32_t {
    hello = 1,  ///< once, first; id: hello_mark; channel: the job; sequence: the own rank; size: the number of ranks;
                ///< fingerprint: the number of open requests that this rank accepts
    request,    ///< a receive has been posted: the request
    withdrawn,  ///< the receive has been cancelled; the reply to an open request is then `refused`
    data,       ///< a reply: the message, `size` bytes, follows
    refused,    ///< a reply: the message will not be sent, because of `error`
    goodbye,    ///< the last frame; sequence: the rank that died, if one did, or -1
};

/// The header of every message, and a message by itself. All frames about a message repeat the fields of its request.
/// Unused fields are 0. Numbers are in the byte order of the node; another byte order gives another hello_mark.
struct frame {
    frame_kind kind{};
    std::int32_t error = 0;
    std::uint64_t id = 0;  ///< of the request: 1 or more, ascending on each connection
    std::uint64_t channel = 0, epoch = 0;
    std::int64_t sequence = 0;
    std::uint64_t fingerprint = 0;
    bytes_t size = 0;

    friend bool operator==(const frame&, const frame&) = default;
};
static_assert(std::has_unique_object_representations_v<frame> && std::is_trivially_copyable_v<frame>);

/// Returns a frame of another type about the same message.
inline frame as(frame_kind kind, const frame& of, int error = 0) {
    frame result = of;
    result.kind = kind;
    result.error = error;
    return result;
}

/// The number of the protocol; the last byte is its version.
inline constexpr std::uint64_t hello_mark = 0x636f6c6c73636803;

/// Returns the hello of a rank.
inline frame hello_of(rank_t rank, rank_t ranks, std::uint64_t job, std::uint64_t requests = most_requests) {
    return {.kind = frame_kind::hello,
            .id = hello_mark,
            .channel = job,
            .sequence = rank,
            .fingerprint = requests,
            .size = ranks};
}

/// The name of a message between two ranks: channel, epoch, sequence. Maps are ordered rather than hashed, since peers
/// choose these numbers.
using message_name = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;
template <class T>
message_name name_of(const T& x) {
    return {x.channel, x.epoch, x.sequence};
}

/// The remaining bytes of a message.
template <class Part>
class part_cursor {
  public:
    part_cursor() = default;
    explicit part_cursor(std::span<const Part> parts) : parts_(parts), left_(total_bytes(parts)) {}

    bytes_t left() const { return left_; }

    /// Skips `size` bytes.
    void skip(bytes_t size) {
        left_ -= size;
        at_ += size;
        while (!parts_.empty() && at_ >= parts_.front().size) {
            at_ -= parts_.front().size;
            parts_ = parts_.subspan(1);
        }
    }

    /// Appends the remaining parts as buffers of Asio, up to `most`. Returns false if parts are left.
    template <class Buffer>
    bool append_to(std::vector<Buffer>& buffers, std::size_t most) const {
        bytes_t at = at_;
        for (const Part& one : parts_) {
            if (buffers.size() == most) return false;
            if (one.size > at) buffers.emplace_back(one.data + at, static_cast<std::size_t>(one.size - at));
            at = 0;
        }
        return true;
    }

  private:
    std::span<const Part> parts_;
    bytes_t at_ = 0, left_ = 0;
};

/// A posted send that has not been requested.
struct posted_send {
    message_key key;
    std::span<const send_part> parts;
};

/// A posted receive without a reply. Without an owner it has been cancelled.
struct posted_receive {
    frame opening;  ///< the request frame that was sent for it
    message_request request{};
    part_cursor<receive_part> into{};
};

}  // namespace examples
