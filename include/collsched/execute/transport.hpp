#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Part of a message in the sender's memory.
struct const_piece {
    const std::byte* data = nullptr;
    bytes_t size = 0;
};
/// Part of a message in the receiver's memory.
struct piece {
    std::byte* data = nullptr;
    bytes_t size = 0;
};

/// Whose message it is: handed to the transport when it is posted, handed back when it is complete. Without an owner it
/// stands for no message.
struct ticket {
    void* owner = nullptr;
    std::int64_t node = -1;
};

/// Which message: the other end, the channel (of several plans in flight between the same ranks each has its own), the start
/// of the plan, and the message's number among those of this start from one rank to the other, in step order. Both ends
/// name it alike. `fingerprint` is that of the schedule: a transport that sees both ends compares it, so that ranks which
/// run different schedules are told.
struct message_key {
    rank_t peer = 0;
    std::uint64_t channel = 0;
    std::uint64_t generation = 0;
    std::int64_t sequence = 0;
    std::uint64_t fingerprint = 0;
    ticket token{};
};

/// What became of a message. Without an owner: of none; then error 0 says that nothing is complete yet, any other value
/// that the transport as a whole has failed, because of `peer` if that is known.
struct completion {
    ticket token{};
    int error = 0;
    rank_t peer = -1;
};

/// What a post says of a message that is complete when it returns: a send whose bytes have been taken, say.
inline constexpr int already_complete = -1;

/// To wait for as long as it takes.
inline constexpr std::chrono::nanoseconds forever = std::chrono::nanoseconds::max();

namespace detail {

// One concept per member, so that the compiler can name the one that a transport lacks.
template <class T>
concept has_post_send = requires(T& t, const message_key& key, std::span<const const_piece> pieces) {
    { t.post_send(key, pieces) } -> std::same_as<int>;
};
template <class T>
concept has_post_recv = requires(T& t, const message_key& key, std::span<const piece> pieces) {
    { t.post_recv(key, pieces) } -> std::same_as<int>;
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

}  // namespace detail

/// What the engine needs of a network, for one rank. Only the thread that runs the engine calls it.
///
///   post_send(key, pieces), post_recv(key, pieces)
///        start a message; 0, an error, or already_complete, and then nothing more is told of it. They do not block, and
///        hand over no completion before they return. A message is its pieces one after another, perhaps none; the pieces
///        of both ends have equal bytes together, cut as each end likes.
///        The bytes, and the array of pieces, stay where they are until completion. A receive and its send may be posted
///        in either order, at any distance; messages may arrive in any order.
///   cancel(owner)
///        gives back the memory of all that this owner has in flight; nothing of it is reported any more
///
/// Errors are the transport's own positive numbers; the engine passes them on.
template <class T>
concept transport = detail::has_post_send<T> && detail::has_post_recv<T> && detail::has_cancel<T>;

/// A transport that is asked what is complete. (One that calls back instead hands a completion to the execution's
/// finished().)
///
///   poll()             something that is complete, or nothing; never blocks
///   wait_any(timeout)  blocks until something is complete, and tells it, or nothing when the time is up; may report an
///                      error instead of blocking for ever; the time is 0 or more, or `forever`
template <class T>
concept polled_transport = transport<T> && detail::has_poll<T> && detail::has_wait_any<T>;

/// Bytes of a message.
template <class Piece>
constexpr bytes_t total_bytes(std::span<const Piece> pieces) {
    bytes_t sum = 0;
    for (const Piece& piece : pieces) sum += piece.size;
    return sum;
}

}}  // namespace collsched::COLLSCHED_ABI
