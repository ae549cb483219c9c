#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/plan_graph.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Part of a message in the sender's memory: an address, and the same bytes as a range of a bound buffer.
struct send_part {
    const std::byte* data = nullptr;
    bytes_t size = 0;
    memory_area area = memory_area::input;  ///< the buffer that holds the part
    bytes_t offset = 0;                     ///< of the part in that buffer, in bytes
};
/// Part of a message in the receiver's memory.
struct receive_part {
    std::byte* data = nullptr;
    bytes_t size = 0;
    memory_area area = memory_area::output;  ///< the buffer that holds the part
    bytes_t offset = 0;                      ///< of the part in that buffer, in bytes
};

struct completion;

/// An operation that an execution has posted: handed to the transport with the post, and handed back with its
/// completion. A default-constructed one stands for no operation.
struct message_request {
    void* owner = nullptr;   ///< the execution; opaque to transports, equal for all its requests
    std::int64_t node = -1;  ///< unique among the requests of its owner
    /// Passes a completion to the owner, whatever its type is.
    void (*notify)(void* owner, const completion&) = nullptr;

    constexpr bool operator==(const message_request& other) const { return owner == other.owner && node == other.node; }
};

/// Identity of a message: the other end, the channel (plans in flight between the same ranks have one each), the epoch
/// (the number of the start of the execution), and the number of the message among those of this epoch from one rank to
/// the other, in step order. Both ends use equal values. `fingerprint` is that of the schedule: a transport that sees
/// both ends compares it and reports different ones as an error at both.
struct message_key {
    rank_t peer = 0;
    std::uint64_t channel = 0;
    std::uint64_t epoch = 0;
    std::int64_t sequence = 0;
    std::uint64_t fingerprint = 0;
    message_request request{};
};

/// The end of a posted operation. Without a request: of none; then error 0 means that nothing is complete yet, any other
/// value that the transport as a whole has failed, because of `peer` if that is not -1.
struct completion {
    message_request request{};
    int error = 0;
    rank_t peer = -1;

    /// True if it carries no news.
    constexpr bool empty() const { return request.owner == nullptr && error == 0; }
};

/// Passes a completion of a request to the execution that posted it. For transports that call back, and for loops that
/// drive several executions.
/// @pre the execution has not been destroyed; cancel() ends all its requests
inline void deliver(const completion& c) {
    if (c.request.notify != nullptr) c.request.notify(c.request.owner, c);
}

/// Returned by a post whose operation is complete, such as a send whose bytes have been copied.
inline constexpr int already_complete = -1;

/// A wait without a time limit.
inline constexpr std::chrono::nanoseconds forever = std::chrono::nanoseconds::max();

namespace detail {

// One concept per member, so that the compiler can name the one that a transport lacks.
template <class T>
concept has_post_send = requires(T& t, const message_key& key, std::span<const send_part> parts) {
    { t.post_send(key, parts) } -> std::same_as<int>;
};
template <class T>
concept has_post_recv = requires(T& t, const message_key& key, std::span<const receive_part> parts) {
    { t.post_recv(key, parts) } -> std::same_as<int>;
};
template <class T>
concept has_cancel = requires(T& t, const void* owner) { t.cancel(owner); };
template <class T>
concept has_poll = requires(T& t) {
    { t.poll() } -> std::same_as<completion>;
};
template <class T>
concept has_wait_any = requires(T& t, std::chrono::nanoseconds timeout) {
    { t.wait_any(timeout) } -> std::same_as<completion>;
};
template <class T>
concept has_ended = requires(T& t, const void* owner) { t.ended(owner); };

}  // namespace detail

/// What an execution requires of a network, for one rank. Only the thread that runs the execution calls it.
///
///   post_send(key, parts), post_recv(key, parts)
///        starts a message and returns 0, a positive error, or already_complete; only after 0 a completion follows. A
///        post does not block and delivers no completion before it returns. A message is its parts one after another,
///        perhaps none; both ends have equally many bytes in all, divided into parts independently. The bytes and the
///        array of parts stay valid until completion. A receive and its send may be posted in either order; messages may
///        arrive in any order.
///   cancel(owner)
///        releases the memory of all operations that this owner has in flight; none of them is reported any more
///   ended(owner)
///        optional: an execution has ended a start with all its operations complete
///
/// Errors are positive numbers of the transport's own; executions pass them on.
template <class T>
concept transport = detail::has_post_send<T> && detail::has_post_recv<T> && detail::has_cancel<T>;

/// A transport that reports completions when it is polled. (One that calls back passes completions to deliver().)
///
///   poll()             returns a completion, or an empty one; never blocks
///   wait_any(timeout)  blocks until an operation is complete and returns its completion, or an empty one after the
///                      timeout; may return an error instead of blocking for ever; timeout is 0 or more, or `forever`
template <class T>
concept polled_transport = transport<T> && detail::has_poll<T> && detail::has_wait_any<T>;

/// Returns the bytes of a message. O(its parts).
template <class Part>
constexpr bytes_t total_bytes(std::span<const Part> parts) {
    bytes_t sum = 0;
    for (const Part& part : parts) sum += part.size;
    return sum;
}

}}  // namespace collsched::COLLSCHED_ABI
