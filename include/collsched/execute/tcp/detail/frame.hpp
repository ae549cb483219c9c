#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "collsched/execute/detail/part_cursor.hpp"
#include "collsched/execute/tcp/detail/options.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// Types of frames. The receiver requests each message, and the sender replies to every request once. All received
/// bytes therefore have a destination, in whatever order a send and its receive are posted.
enum class frame_kind : std::uint32_t {
    hello =
        1,    ///< once, first; id: hello_mark; channel: the job; sequence: the sending rank; size: the number of ranks;
              ///< fingerprint: the number of open requests that this rank accepts
    request,  ///< a receive has been posted: the request
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
inline frame with_kind(frame_kind kind, const frame& original, int error = 0) {
    frame result = original;
    result.kind = kind;
    result.error = error;
    return result;
}

/// The number of the protocol; the last byte is its version.
inline constexpr std::uint64_t hello_mark = 0x636f6c6c73636803;

/// Returns the hello of a rank.
inline frame hello_of(rank_t rank, rank_t ranks, std::uint64_t job,
                      std::uint64_t requests = tcp_options::most_requests) {
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

/// Appends the remaining parts of a message as buffers of Asio, up to `limit` buffers.
/// @param position  by value: the caller's position is unchanged
/// @return false if parts remain
template <class Part, class Buffer>
bool append_parts(part_cursor<Part> position, std::vector<Buffer>& buffers, std::size_t limit) {
    while (!position.done()) {
        if (buffers.size() == limit) return false;
        const Part part = position.part();
        buffers.emplace_back(part.data, static_cast<std::size_t>(part.size));
        position.skip(part.size);
    }
    return true;
}

/// A posted send that has not been requested.
struct posted_send {
    message::key key;
    std::span<const message::send_part> parts;
};

/// A posted receive without a reply. Without an owner it has been cancelled.
struct posted_receive {
    frame opening;  ///< the request frame that was sent for it
    message::request request{};
    part_cursor<message::receive_part> target{};
};

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
