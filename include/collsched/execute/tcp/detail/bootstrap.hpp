#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include "collsched/execute/tcp/detail/greeting.hpp"
#include "collsched/execute/tcp/detail/options.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// The state that the connectors and the listener of a rank share while the ranks connect. Handlers of Asio own it, so
/// they may run after the transport has stopped waiting for them.
struct bootstrap {
    using socket = asio::ip::tcp::socket;

    /// A connection with another rank.
    struct slot {
        socket stream;
        std::size_t request_limit = 0;  ///< open requests at a time that the other rank accepts
        bool denied = false;            ///< a connection in its name has not proved the key
    };

    bootstrap(asio::io_context& context, rank_t rank, rank_t ranks, const tcp_options& settings)
        : io(&context), hello(hello_of(rank, ranks, settings.job, settings.requests())), options(settings) {
        for (rank_t r = 0; r < ranks; ++r) slots.push_back({socket(context)});
    }

    rank_t rank() const { return hello.sequence; }
    slot& at(rank_t peer) { return slots[static_cast<std::size_t>(peer)]; }
    bool is_connected(rank_t peer) const { return slots[static_cast<std::size_t>(peer)].stream.is_open(); }

    /// Returns the lowest rank that is not connected, or -1.
    rank_t missing() const {
        for (rank_t r = 0; r < hello.size; ++r)
            if (r != rank() && !is_connected(r)) return r;
        return -1;
    }

    void connect(const frame& remote, socket& stream) {
        at(remote.sequence).stream = std::move(stream);
        at(remote.sequence).request_limit = static_cast<std::size_t>(remote.fingerprint);
    }

    /// Returns whether a hello is that of another rank of this group.
    bool fits(const frame& f) const {
        return f == hello_of(f.sequence, hello.size, hello.channel, f.fingerprint) && f.fingerprint >= 1 &&
               f.fingerprint <= tcp_options::most_requests && f.sequence >= 0 && f.sequence < hello.size &&
               f.sequence != rank();
    }

    asio::io_context* io;
    frame hello;
    tcp_options options;
    std::vector<slot> slots;  ///< by rank
    completion refusal{};     ///< the rank that refused this one, and its reason
    bool stopped = false;     ///< handlers do nothing
    bool started = false;     ///< all ranks are connected: more are refused
};

/// Writes all bytes at once. The buffer of a connection that has sent little has room, so the write does not block.
inline bool write_now(asio::ip::tcp::socket& stream, const void* bytes, std::size_t size) {
    std::error_code e;
    stream.non_blocking(true, e);
    return !e && stream.write_some(asio::buffer(bytes, size), e) == size;
}

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
