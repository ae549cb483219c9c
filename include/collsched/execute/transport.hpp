#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"

namespace collsched {

/// Which message: the other end, the start of the plan it belongs to, and its number among the messages of this start
/// from one rank to the other, in step order. Both ends name it alike. `token` is the engine's own, handed back when done.
struct message_key {
    rank_t peer = 0;
    std::uint64_t generation = 0;
    std::int64_t sequence = 0;
    std::int64_t token = 0;
};

/// What became of a message. token -1: of none; then error 0 says that nothing is complete yet, any other value that the
/// transport as a whole has failed.
struct completion {
    std::int64_t token = -1;
    int error = 0;
};

/// What the engine needs of a network, for one rank. Only the thread that runs the engine calls it.
///
///   post_send(key, data, size), post_recv(key, data, size)
///        start a message; 0 or an error. They do not block. The memory belongs to the transport until completion.
///        A receive and its send may be posted in either order, at any distance; messages may arrive in any order.
///   poll()      something that is complete, or nothing; never blocks
///   wait_any()  blocks until something is complete, and tells it; may report an error instead of blocking for ever
///   cancel()    gives back the memory of everything still in flight; nothing of it is reported any more
///
/// Errors are the transport's own numbers, not 0; the engine passes them on.
template <class T>
concept transport = requires(T& t, const message_key& key, const std::byte* out, std::byte* in, bytes_t size) {
    { t.post_send(key, out, size) } -> std::same_as<int>;
    { t.post_recv(key, in, size) } -> std::same_as<int>;
    { t.poll() } -> std::same_as<completion>;
    { t.wait_any() } -> std::same_as<completion>;
    t.cancel();
};

}  // namespace collsched
