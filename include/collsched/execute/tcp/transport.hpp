#pragma once

#include <netinet/tcp.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include "collsched/execute/tcp/detail/connection.hpp"
#include "collsched/execute/tcp/detail/handshake.hpp"
#include "collsched/execute/tcp/detail/options.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A transport over TCP with Asio: one connection between any two ranks. The receiver requests each message. No
/// unrequested bytes arrive, no message is buffered, and memory grows only with the messages posted at both ends, at
/// most options::most_requests per peer. Errors are those of `errors`.
///
/// A rank whose connection ends without a goodbye has died; that fails all pending messages on every rank. A rank that
/// closed its transport fails only the messages with it. A rank that violates the protocol is disconnected: the
/// messages with it fail with protocol_violation, others continue.
///
/// Every connection is authenticated in both directions by HMAC-SHA-256 with options::key, for this job, pair of ranks and
/// side. Without a key, addresses are limited to the loopback interface. After that nothing is encrypted or
/// authenticated: a party that can change packets can change messages. Every field of every frame is checked, and the
/// resources for unknown peers and for every rank are bounded (docs/transports.md).
class tcp_transport {
  public:
    using options = detail::tcp_options;  ///< connections and messages that the transport accepts
    using key = detail::tcp_key;          ///< the secret that the ranks of a group share
    using errors = detail::tcp_error;     ///< errors of all transports, and its own

    /// Listens at HOST:PORT; port 0 selects a free port, which port() returns.
    /// @post error() is 0, or prevents connect()
    tcp_transport(rank_t rank, const std::string& address, const options& chosen = {}) : rank_(rank), options_(chosen) {
        endpoints found;
        error_ = chosen.key.valid() ? resolve(address, found) : errors::bad_key;
        if (error_ != 0) return;
        std::error_code e;
        acceptor_.open(found.begin()->endpoint().protocol(), e);
        if (!e) acceptor_.set_option(asio::socket_base::reuse_address(true), e);
        if (!e) acceptor_.bind(found.begin()->endpoint(), e);
        if (!e) acceptor_.listen(asio::socket_base::max_listen_connections, e);
        if (e) error_ = errors::bad_address;
    }
    tcp_transport(const tcp_transport&) = delete;
    tcp_transport& operator=(const tcp_transport&) = delete;
    ~tcp_transport() {
        for (const auto& peer : peers_)
            if (peer != nullptr) peer->leave();
    }

    /// Returns the error that prevents listening; 0 if there is none.
    int error() const { return error_; }
    /// Returns the port where this rank listens.
    std::uint16_t port() const {
        std::error_code ignored;
        return acceptor_.local_endpoint(ignored).port();
    }

    /// Connects with all other ranks: connects to lower ranks and accepts higher ones. All ranks call it, in any order,
    /// with the same list of HOST:PORT. Returns an error, with the rank that causes it if there is one, or none. It
    /// takes at most `timeout`, apart from the lookup of hostnames. Afterwards the rank keeps its port, and while the
    /// program polls or waits it refuses ranks that connect later.
    completion connect(std::span<const std::string> addresses, std::chrono::nanoseconds timeout) {
        const auto until = clock::now() + std::min<std::chrono::nanoseconds>(timeout, longest);
        const rank_t ranks = std::ssize(addresses);
        if (error_ != 0 || rank_ < 0 || rank_ >= ranks) return {{}, error_ != 0 ? error_ : errors::no_such_rank, rank_};
        if (!peers_.empty()) return {{}, errors::already_connected, rank_};
        handshake_ = std::make_unique<detail::tcp::handshake>(io_, acceptor_, rank_, ranks, options_);
        for (rank_t r = 0; r < rank_; ++r) {
            endpoints found;
            if (const int e = resolve(addresses[static_cast<std::size_t>(r)], found); e != 0) {
                handshake_.reset();
                return {{}, e, r};
            }
            handshake_->connect(r, found);
        }
        if (const completion failed = handshake_->run(until); failed.error != 0) return failed;
        std::error_code ignored;
        if (rank_ + 1 == ranks) acceptor_.close(ignored);  // only higher ranks connect
        state_.rank = rank_;
        state_.ranks = ranks;
        state_.request_limit = options_.requests();
        for (rank_t r = 0; r < ranks; ++r) peers_.push_back(r == rank_ ? nullptr : take(r));
        return {};
    }

    /// The resources that a transport holds for its peers.
    struct usage {
        std::size_t requests = 0;   ///< messages that peers have requested and this rank has not sent
        std::size_t queued = 0;     ///< frames that wait to be written
        std::size_t half_open = 0;  ///< largest number of connections at a time without a hello, or without a proof
    };
    /// Returns the resources in use for other ranks.
    /// @return at most options::requests() requests per peer, and options::half_open connections
    usage current_usage() const {
        usage sum{.half_open = handshake_ != nullptr ? handshake_->half_open() : 0};
        for (const auto& peer : peers_) {
            if (peer == nullptr) continue;
            sum.requests += peer->requests();
            sum.queued += peer->queued();
        }
        return sum;
    }

    /// Returns a descriptor that is readable whenever poll() has something to do or to report, for loops that wait for
    /// other descriptors too: sockets that can be read, or written where messages wait for that, and completions of
    /// earlier posts. Level-triggered. It may be readable without a completion, and stays readable after a rank has
    /// died. It belongs to the transport and may only be waited for. Later calls return the same one. -1 if the system
    /// has none left.
    /// @pre connected
    int descriptor() {
        if (!state_.ready.is_open() && state_.ready.open()) {
            for (const auto& peer : peers_)
                if (peer != nullptr && !peer->watch()) state_.ready.close();
            raise_pending();
        }
        return state_.ready.descriptor();
    }

    /// Starts a send, as every transport does.
    int post_send(const message::key& identity, std::span<const message::send_part> parts) {
        detail::tcp::connection* const peer = at(identity.peer);
        const int error = peer != nullptr ? peer->send(identity, parts) : errors::no_such_rank;
        raise_pending();
        return error;
    }
    /// Starts a receive, as every transport does.
    int post_recv(const message::key& identity, std::span<const message::receive_part> parts) {
        detail::tcp::connection* const peer = at(identity.peer);
        const int error = peer != nullptr ? peer->receive(identity, parts) : errors::no_such_rank;
        raise_pending();
        return error;
    }

    /// Ends the reports of the death of a rank. Messages with it fail as before.
    void acknowledge(rank_t rank) {
        state_.acknowledge(rank);
        raise_pending();
    }

    /// Returns a completion, a death, or nothing, as every transport does.
    completion poll() {
        const completion next = take_next();
        raise_pending();
        return next;
    }

    /// Waits for what poll() returns, as every transport does. @return would_block if no peer is left
    completion wait_any(std::chrono::nanoseconds timeout) {
        const std::chrono::nanoseconds long_time = std::chrono::hours(1);
        const bool endless = timeout == forever;
        const auto until = clock::now() + std::min<std::chrono::nanoseconds>(timeout, longest);
        while (true) {
            const completion c = poll();
            if (!c.empty()) return c;
            if (!has_peer()) return {{}, errors::would_block, state_.culprit};
            const std::chrono::nanoseconds remaining = endless ? long_time : until - clock::now();
            if (remaining.count() <= 0) return {};
            io_.run_one_for(remaining);
        }
    }

    /// Releases the memory of an owner, as every transport does.
    void cancel(const void* owner) {
        for (const auto& peer : peers_)
            if (peer != nullptr) peer->cancel(owner);
        std::erase_if(state_.done, [&](const completion& c) { return c.request.owner == owner; });
        raise_pending();
    }

  private:
    using clock = std::chrono::steady_clock;
    using endpoints = asio::ip::tcp::resolver::results_type;
    static constexpr std::chrono::hours longest{10'000};  // `forever` would overflow the clock

    completion take_next() {
        if (state_.done.empty()) {
            io_.restart();
            // io_.poll() might not return while a peer sends.
            for (std::ptrdiff_t polls = 2 * std::ssize(peers_); polls > 0 && io_.poll_one() > 0; --polls) {}
        }
        if (state_.done.empty()) return state_.dead < 0 ? completion{} : completion{{}, errors::peer_died, state_.dead};
        const completion first = state_.done.front();
        death_reported_ = !death_reported_ && first.error != 0 && state_.dead >= 0 && state_.dead != first.peer;
        if (death_reported_) return {{}, errors::peer_died, state_.dead};  // the cause before its consequence
        state_.done.pop_front();
        return first;
    }

    std::unique_ptr<detail::tcp::connection> take(rank_t peer) {
        detail::tcp::bootstrap::slot& slot = handshake_->at(peer);
        std::error_code ignored;
        slot.stream.set_option(asio::socket_base::keep_alive(options_.silence.count() > 0), ignored);
        const int third = static_cast<int>(std::clamp<std::int64_t>(options_.silence.count() / 3, 1, 10'000));
        const int fd = slot.stream.native_handle(), probes = 2;
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &third, sizeof third);
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &third, sizeof third);
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
        return std::make_unique<detail::tcp::connection>(std::move(slot.stream), peer, slot.request_limit, state_);
    }

    /// Makes the descriptor readable while there is something to report.
    void raise_pending() { state_.ready.raise(!state_.done.empty() || state_.dead >= 0); }

    detail::tcp::connection* at(rank_t peer) {
        return peer >= 0 && peer < std::ssize(peers_) ? peers_[static_cast<std::size_t>(peer)].get() : nullptr;
    }
    bool has_peer() const {
        return std::any_of(peers_.begin(), peers_.end(),
                           [](const auto& peer) { return peer != nullptr && peer->error() == 0; });
    }

    /// Resolves HOST:PORT. Returns 0 or an error.
    int resolve(const std::string& address, endpoints& found) {
        const std::size_t colon = address.rfind(':');
        if (colon == std::string::npos) return errors::bad_address;
        std::string host = address.substr(0, colon);
        if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
        const std::string port = address.substr(colon + 1);
        const bool is_number = !port.empty() && port.find_first_not_of("0123456789") == std::string::npos;
        if (is_number && (port.size() > 5 || std::stoi(port) > 65535))
            return errors::bad_address;  // the system would shorten it
        std::error_code e;
        found = asio::ip::tcp::resolver(io_).resolve(host, port, e);
        if (e || found.empty()) return errors::bad_address;
        const bool local = std::all_of(found.begin(), found.end(),
                                       [](const auto& entry) { return entry.endpoint().address().is_loopback(); });
        return local || !options_.key.empty() ? 0 : errors::not_loopback;
    }

    rank_t rank_;
    options options_;
    asio::io_context io_{1};
    asio::ip::tcp::acceptor acceptor_{io_};
    int error_ = 0;
    std::unique_ptr<detail::tcp::handshake> handshake_;
    detail::tcp::shared_state state_;
    bool death_reported_ = false;  // a death was reported before the next completion
    std::vector<std::unique_ptr<detail::tcp::connection>> peers_;
};

}}  // namespace collsched::COLLSCHED_ABI
