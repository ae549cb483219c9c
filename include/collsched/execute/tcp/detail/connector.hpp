#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include <asio/connect.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>

#include "collsched/execute/tcp/detail/bootstrap.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// Connects to one lower rank, which may not listen yet, until that rank has proved the key or refused this rank.
class connector : public std::enable_shared_from_this<connector> {
  public:
    using endpoints = asio::ip::tcp::resolver::results_type;

    connector(std::shared_ptr<bootstrap> shared, rank_t peer, endpoints targets)
        : shared_(std::move(shared)),
          peer_(peer),
          targets_(std::move(targets)),
          stream_(*shared_->io),
          timer_(*shared_->io) {}

    void connect() {
        stream_ = bootstrap::socket(*shared_->io);
        // A node that is down does not reply. The kernel alone would repeat the attempt ever more rarely.
        timer_.expires_after(shared_->options.handshake_timeout);
        timer_.async_wait([self = shared_from_this()](std::error_code e) {
            if (!e && !self->shared_->stopped) self->close();
        });
        asio::async_connect(stream_, targets_, [self = shared_from_this()](std::error_code e, const auto&) {
            self->timer_.cancel();
            if (self->shared_->stopped) return;
            if (!e && self->send_greeting()) self->read_greeting();
            else self->try_again();
        });
    }

    void stop() {
        close();
        timer_.cancel();
    }

  private:
    void close() {
        std::error_code ignored;
        stream_.close(ignored);
    }

    bool send_greeting() {
        local_.hello = shared_->hello;
        std::error_code e;
        // A connection to a port without a listener may connect to itself.
        return stream_.local_endpoint(e) != stream_.remote_endpoint(e) && !e && renew(local_.nonce) &&
               write_now(stream_, &local_, sizeof local_);
    }

    void read_greeting() {
        asio::async_read(stream_, asio::buffer(&remote_, sizeof remote_),
                         [self = shared_from_this()](std::error_code e, std::size_t) {
                             if (self->shared_->stopped) return;
                             if (!e && self->accepts_greeting()) self->read_acceptance();
                             else self->try_again();
                         });
    }

    bool accepts_greeting() {
        if (!shared_->fits(remote_.hello) || remote_.hello.sequence != peer_) return false;
        shared_->at(peer_).denied = true;  // until there is an acceptance
        const digest proof = prove(shared_->options.key, side::connecting, local_, remote_);
        return write_now(stream_, &proof, sizeof proof);
    }

    /// Waits until the other rank closes the connection: that rank may already regard this one as connected.
    void read_acceptance() {
        asio::async_read(stream_, asio::buffer(&acceptance_, sizeof acceptance_),
                         [self = shared_from_this()](std::error_code e, std::size_t) {
                             if (!self->shared_->stopped) self->take_acceptance(!e);
                         });
    }

    void take_acceptance(bool complete) {
        const digest expected = prove(shared_->options.key, side::accepting, local_, remote_, acceptance_.error);
        if (!complete || !equal_digests(expected, acceptance_.proof)) {
            try_again();
        } else if (acceptance_.error == 0) {
            shared_->connect(remote_.hello, stream_);
        } else {
            shared_->refusal = {{}, tcp_error::already_connected, peer_};
        }
    }

    void try_again() {
        close();
        timer_.expires_after(between_tries);
        timer_.async_wait([self = shared_from_this()](std::error_code e) {
            if (!e && !self->shared_->stopped) self->connect();
        });
    }

    static constexpr std::chrono::milliseconds between_tries{10};

    std::shared_ptr<bootstrap> shared_;
    rank_t peer_;
    endpoints targets_;
    bootstrap::socket stream_;
    asio::steady_timer timer_;
    greeting local_, remote_;  ///< as each side has sent it
    acceptance acceptance_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
