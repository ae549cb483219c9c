#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include "greeting.hpp"
#include "tcp_options.hpp"

namespace examples {

/// The state that the callers and the door of a rank share while the ranks connect. Handlers of Asio own it, so they
/// may run after the transport has stopped waiting for them.
struct meeting {
    using socket = asio::ip::tcp::socket;

    /// A connection with another rank.
    struct seat {
        socket over;
        std::size_t most_requests = 0;  ///< open at a time, that the other rank accepts
        bool denied = false;            ///< a connection in its name has not proved the key
    };

    meeting(asio::io_context& context, rank_t rank, rank_t ranks, const tcp_options& given)
        : io(&context), hello(hello_of(rank, ranks, given.job, given.requests())), options(given) {
        for (rank_t r = 0; r < ranks; ++r) seats.push_back({socket(context)});
    }

    rank_t rank() const { return hello.sequence; }
    seat& at(rank_t peer) { return seats[static_cast<std::size_t>(peer)]; }
    bool is_connected(rank_t peer) const { return seats[static_cast<std::size_t>(peer)].over.is_open(); }

    /// Returns the lowest rank that is not connected, or -1.
    rank_t missing() const {
        for (rank_t r = 0; r < hello.size; ++r)
            if (r != rank() && !is_connected(r)) return r;
        return -1;
    }

    void connect(const frame& with, socket& over) {
        at(with.sequence).over = std::move(over);
        at(with.sequence).most_requests = static_cast<std::size_t>(with.fingerprint);
    }

    /// Returns whether a hello is that of another rank of this group.
    bool fits(const frame& f) const {
        return f == hello_of(f.sequence, hello.size, hello.channel, f.fingerprint) && f.fingerprint >= 1 &&
               f.fingerprint <= most_requests && f.sequence >= 0 && f.sequence < hello.size && f.sequence != rank();
    }

    asio::io_context* io;
    frame hello;
    tcp_options options;
    std::vector<seat> seats;  ///< by rank
    completion refusal{};     ///< the rank that refused this one, and its reason
    bool stopped = false;     ///< handlers do nothing
    bool started = false;     ///< all ranks are connected: more are refused
};

/// Writes all bytes at once. The buffer of a connection that has sent little has room, so the write does not block.
inline bool write_now(asio::ip::tcp::socket& over, const void* bytes, std::size_t size) {
    std::error_code e;
    over.non_blocking(true, e);
    return !e && over.write_some(asio::buffer(bytes, size), e) == size;
}

}  // namespace examples
