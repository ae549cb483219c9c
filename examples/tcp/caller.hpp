#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include <asio/connect.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>

#include "meeting.hpp"

namespace examples {

/// Connects to one lower rank, which may not listen yet, until that rank has proved the key or refused this rank.
class caller : public std::enable_shared_from_this<caller> {
  public:
    using endpoints = asio::ip::tcp::resolver::results_type;

    caller(std::shared_ptr<meeting> all, rank_t peer, endpoints at)
        : all_(std::move(all)), peer_(peer), at_(std::move(at)), over_(*all_->io), timer_(*all_->io) {}

    void call() {
        over_ = meeting::socket(*all_->io);
        // A node that is down does not reply. The kernel alone would repeat the attempt ever more rarely.
        timer_.expires_after(all_->options.handshake_timeout);
        timer_.async_wait([self = shared_from_this()](std::error_code e) {
            if (!e && !self->all_->stopped) self->close();
        });
        asio::async_connect(over_, at_, [self = shared_from_this()](std::error_code e, const auto&) {
            self->timer_.cancel();
            if (self->all_->stopped) return;
            if (!e && self->greet()) self->read_greeting();
            else self->call_again();
        });
    }

    void stop() {
        close();
        timer_.cancel();
    }

  private:
    void close() {
        std::error_code ignored;
        over_.close(ignored);
    }

    bool greet() {
        mine_.hello = all_->hello;
        std::error_code e;
        // A connection to a port without a listener may connect to itself.
        return over_.local_endpoint(e) != over_.remote_endpoint(e) && !e && renew(mine_.nonce) &&
               write_now(over_, &mine_, sizeof mine_);
    }

    void read_greeting() {
        asio::async_read(over_, asio::buffer(&theirs_, sizeof theirs_),
                         [self = shared_from_this()](std::error_code e, std::size_t) {
                             if (self->all_->stopped) return;
                             if (!e && self->accepts_greeting()) self->read_verdict();
                             else self->call_again();
                         });
    }

    bool accepts_greeting() {
        if (!all_->fits(theirs_.hello) || theirs_.hello.sequence != peer_) return false;
        all_->at(peer_).denied = true;  // until there is a verdict
        const digest proof = prove(all_->options.key, side::connecting, mine_, theirs_);
        return write_now(over_, &proof, sizeof proof);
    }

    /// Waits as long as the other rank does: it may already regard this rank as connected.
    void read_verdict() {
        asio::async_read(over_, asio::buffer(&verdict_, sizeof verdict_),
                         [self = shared_from_this()](std::error_code e, std::size_t) {
                             if (!self->all_->stopped) self->take_verdict(!e);
                         });
    }

    void take_verdict(bool read) {
        const digest right = prove(all_->options.key, side::accepting, mine_, theirs_, verdict_.error);
        if (!read || !same(right, verdict_.proof)) {
            call_again();
        } else if (verdict_.error == 0) {
            all_->connect(theirs_.hello, over_);
        } else {
            all_->refusal = {{}, tcp_error::already_connected, peer_};
        }
    }

    void call_again() {
        close();
        timer_.expires_after(between_tries);
        timer_.async_wait([self = shared_from_this()](std::error_code e) {
            if (!e && !self->all_->stopped) self->call();
        });
    }

    static constexpr std::chrono::milliseconds between_tries{10};

    std::shared_ptr<meeting> all_;
    rank_t peer_;
    endpoints at_;
    meeting::socket over_;
    asio::steady_timer timer_;
    greeting mine_, theirs_;
    verdict verdict_;
};

}  // namespace examples
