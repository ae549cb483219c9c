#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include "connection.hpp"

namespace examples {

/// Messages over TCP with Asio: one connection between any two ranks. The receiver asks for each message, so nothing
/// arrives that was not asked for, nothing is buffered, and what the transport keeps grows with the messages posted at
/// both ends only. Errors are a tcp_error.
///
/// A rank whose connection ends without a goodbye has died: that ends whatever waits, on every rank. One that closed its
/// transport ends the messages with it only.
class tcp_transport {
  public:
    /// Listens at HOST:PORT; port 0 is any free one, which port() tells.
    tcp_transport(rank_t rank, const std::string& address) : rank_(rank) {
        std::error_code e;
        const auto found = resolve(address, e);
        if (!e) acceptor_.open(found.begin()->endpoint().protocol(), e);
        if (!e) acceptor_.set_option(asio::socket_base::reuse_address(true), e);
        if (!e) acceptor_.bind(found.begin()->endpoint(), e);
        if (!e) acceptor_.listen(asio::socket_base::max_listen_connections, e);
        if (e) error_ = bad_address;
    }
    tcp_transport(const tcp_transport&) = delete;
    tcp_transport& operator=(const tcp_transport&) = delete;
    ~tcp_transport() {
        for (const auto& one : peers_)
            if (one != nullptr) one->leave();
    }

    /// Why it does not listen; 0 if it does.
    int error() const { return error_; }
    std::uint16_t port() const {
        std::error_code ignored;
        return acceptor_.local_endpoint(ignored).port();
    }

    /// Connects with all other ranks: calls those below, is called by those above. All ranks do so, in any order, with the
    /// same list of HOST:PORT. An error, which tells the rank where one is to blame, or none.
    completion connect(std::span<const std::string> addresses, std::chrono::nanoseconds timeout) {
        const auto until = clock::now() + timeout;
        const auto ranks = static_cast<rank_t>(std::ssize(addresses));
        if (error_ != 0 || rank_ < 0 || rank_ >= ranks) return {{}, error_ != 0 ? error_ : no_such_peer, rank_};
        std::vector<socket> sockets;
        for (rank_t r = 0; r < ranks; ++r) sockets.emplace_back(io_);
        for (rank_t r = 0; r < rank_; ++r)
            if (const int e = call(r, ranks, addresses[static_cast<std::size_t>(r)], until, sockets)) return {{}, e, r};
        for (rank_t missing = rank_ + 1; missing < ranks;)
            if (sockets[static_cast<std::size_t>(missing)].is_open()) ++missing;
            else if (!answer(ranks, until, sockets)) return {{}, unreachable, missing};
        std::error_code ignored;
        acceptor_.close(ignored);
        for (rank_t r = 0; r < ranks; ++r) {
            socket& one = sockets[static_cast<std::size_t>(r)];
            peers_.push_back(r == rank_ ? nullptr : std::make_unique<connection>(std::move(one), r, told_));
        }
        return {};
    }

    int post_send(const message_key& key, std::span<const const_piece> pieces) {
        connection* const peer = with(key.peer);
        return peer != nullptr ? peer->send(key, pieces) : no_such_peer;
    }
    int post_recv(const message_key& key, std::span<const piece> pieces) {
        connection* const peer = with(key.peer);
        return peer != nullptr ? peer->receive(key, pieces) : no_such_peer;
    }

    completion poll() {
        if (told_.done.empty()) {
            io_.restart();
            io_.poll();
        }
        if (told_.done.empty()) return told_.dead < 0 ? completion{} : completion{{}, peer_died, told_.dead};
        const completion first = told_.done.front();
        told_.done.pop_front();
        return first;
    }

    completion wait_any(std::chrono::nanoseconds timeout) {
        const std::chrono::nanoseconds long_time = std::chrono::hours(1);
        const bool endless = timeout == forever;
        const auto until = clock::now() + (endless ? long_time : std::min(timeout, 10'000 * long_time));
        while (true) {
            const completion c = poll();
            if (c.token.owner != nullptr || c.error != 0) return c;
            if (!any_left()) return {{}, nobody_left};
            const std::chrono::nanoseconds left = endless ? long_time : until - clock::now();
            if (left.count() <= 0) return {};
            io_.run_one_for(left);
        }
    }

    void cancel(const void* owner) {
        for (const auto& one : peers_)
            if (one != nullptr) one->cancel(owner);
        std::erase_if(told_.done, [&](const completion& c) { return c.token.owner == owner; });
    }

  private:
    using clock = std::chrono::steady_clock;
    using socket = asio::ip::tcp::socket;
    using addresses_found = asio::ip::tcp::resolver::results_type;

    connection* with(rank_t peer) {
        return peer >= 0 && peer < std::ssize(peers_) ? peers_[static_cast<std::size_t>(peer)].get() : nullptr;
    }
    bool any_left() const {
        return std::any_of(peers_.begin(), peers_.end(),
                           [](const auto& one) { return one != nullptr && one->error() == 0; });
    }

    addresses_found resolve(const std::string& address, std::error_code& e) {
        const std::size_t colon = address.rfind(':');
        if (colon == std::string::npos) e = asio::error::invalid_argument;
        if (e) return {};
        std::string host = address.substr(0, colon);
        if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
        return asio::ip::tcp::resolver(io_).resolve(host, address.substr(colon + 1), e);
    }

    /// Runs one operation to its end, or until the time is up.
    template <class Start, class Stop>
    bool done_in_time(clock::time_point until, Start start, Stop stop) {
        std::error_code result = asio::error::would_block;
        start([&](std::error_code e, auto&&...) { result = e; });
        io_.restart();
        while (result == asio::error::would_block && io_.run_one_until(until) > 0) {}
        if (result != asio::error::would_block) return !result;
        stop();
        io_.restart();
        io_.run();
        return false;
    }

    /// Both ends tell who they are; the rank at the other end, or -1.
    rank_t greet(socket& over, rank_t ranks, clock::time_point until) {
        const auto bytes_of = [](auto& f) { return asio::buffer(&f, sizeof(frame)); };
        const auto stop = [&] {
            std::error_code ignored;
            over.close(ignored);
        };
        const frame mine{.kind = frame_kind::hello, .id = hello_mark, .sequence = rank_, .size = ranks};
        frame other;
        const auto write = [&](auto f) { asio::async_write(over, bytes_of(mine), f); };
        const auto read = [&](auto f) { asio::async_read(over, bytes_of(other), f); };
        if (!done_in_time(until, write, stop) || !done_in_time(until, read, stop)) return -1;
        const bool fits = other.kind == frame_kind::hello && other.id == hello_mark && other.size == ranks &&
                          other.sequence >= 0 && other.sequence < ranks;
        return fits ? static_cast<rank_t>(other.sequence) : -1;
    }

    /// Connects with a rank below, which may not be there yet.
    int call(rank_t peer, rank_t ranks, const std::string& address, clock::time_point until,
             std::vector<socket>& sockets) {
        std::error_code e;
        const addresses_found found = resolve(address, e);
        if (e) return bad_address;
        while (clock::now() < until) {
            socket to(io_);
            const auto stop = [&] { to.close(e); };
            const auto reach = [&](auto f) { asio::async_connect(to, found, f); };
            if (done_in_time(until, reach, stop) && to.local_endpoint(e) != to.remote_endpoint(e) &&
                greet(to, ranks, until) == peer) {
                sockets[static_cast<std::size_t>(peer)] = std::move(to);
                return 0;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return unreachable;
    }

    /// Takes one call, of a rank above, or of a stranger, who is not listened to for long.
    bool answer(rank_t ranks, clock::time_point until, std::vector<socket>& sockets) {
        socket from(io_);
        std::error_code ignored;
        if (!done_in_time(until, [&](auto f) { acceptor_.async_accept(from, f); }, [&] { acceptor_.cancel(ignored); }))
            return false;
        const rank_t peer = greet(from, ranks, std::min(until, clock::now() + std::chrono::seconds(2)));
        if (peer > rank_ && !sockets[static_cast<std::size_t>(peer)].is_open())
            sockets[static_cast<std::size_t>(peer)] = std::move(from);
        return true;
    }

    rank_t rank_;
    asio::io_context io_{1};
    asio::ip::tcp::acceptor acceptor_{io_};
    int error_ = 0;
    tidings told_;
    std::vector<std::unique_ptr<connection>> peers_;
};

}  // namespace examples
