#pragma once

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>

#include "frame.hpp"
#include "tcp_options.hpp"

namespace examples {

/// Connects a rank with all others: it connects to lower ranks and accepts connections from higher ranks, all at the
/// same time. The connecting side sends a hello. The accepting side replies with its own only to a valid one. An
/// accepted connection is established once its hello names a higher rank that is not connected yet. A connection with
/// another hello, or with none in time, is closed, and so is the oldest one beyond tcp_options::half_open. Strangers
/// therefore use a bounded number of descriptors, and delay the ranks only by the time to accept and drop them.
class handshake {
  public:
    using clock = std::chrono::steady_clock;
    using socket = asio::ip::tcp::socket;
    using endpoints = asio::ip::tcp::resolver::results_type;

    /// @pre no other operation runs on `io`
    handshake(asio::io_context& io, asio::ip::tcp::acceptor& acceptor, const frame& hello, const tcp_options& options)
        : io_(&io), acceptor_(&acceptor), hello_(hello), options_(options), pause_(io) {
        for (rank_t r = 0; r < hello.size; ++r) sockets_.emplace_back(io);
        missing_ = hello.size - 1;
    }
    handshake(const handshake&) = delete;
    handshake& operator=(const handshake&) = delete;
    ~handshake() { stop(); }

    /// Connects to a lower rank, which may not listen yet, until it replies.
    void call(rank_t peer, const endpoints& at) {
        callers_.push_back(std::make_unique<caller>(*io_, peer, at));
        call(*callers_.back());
    }

    /// Runs until all ranks are connected or the time is up. Returns the lowest rank that is not connected, or -1.
    rank_t run(clock::time_point until) {
        if (rank() + 1 < hello_.size) accept();
        while (missing_ > 0 && clock::now() < until) {
            io_->restart();
            io_->run_one_until(guests_.empty() ? until : std::min(until, guests_.front()->until));
            while (!guests_.empty() && guests_.front()->until <= clock::now()) drop_oldest();
        }
        stop();
        for (rank_t r = 0; missing_ > 0 && r < hello_.size; ++r)
            if (r != rank() && !is_connected(r)) return r;
        return -1;
    }

    /// Returns the connection with a rank.
    socket& with(rank_t peer) { return sockets_[static_cast<std::size_t>(peer)]; }

    /// Returns the largest number of half-open connections at a time.
    std::size_t half_open() const { return most_guests_; }

  private:
    struct caller {
        caller(asio::io_context& io, rank_t rank, const endpoints& where)
            : peer(rank), at(where), over(io), pause(io) {}
        rank_t peer;
        endpoints at;
        socket over;
        asio::steady_timer pause;
        frame reply;
    };
    /// An accepted connection whose hello has not been read.
    struct guest {
        explicit guest(asio::io_context& io) : over(io) {}
        socket over;
        frame hello;
        clock::time_point until;
    };

    static constexpr std::chrono::milliseconds between_tries{10};

    rank_t rank() const { return hello_.sequence; }
    bool is_connected(rank_t peer) { return with(peer).is_open(); }
    void connected(rank_t peer, socket& over) {
        with(peer) = std::move(over);
        --missing_;
    }

    /// Returns whether a hello is that of another rank of this group.
    bool fits(const frame& f) const {
        return f == hello_of(f.sequence, hello_.size, hello_.channel) && f.sequence >= 0 && f.sequence < hello_.size &&
               f.sequence != rank();
    }

    /// Sends the hello. A new connection has room for it, so the write does not block.
    bool introduce(socket& over) const {
        std::error_code e;
        over.non_blocking(true, e);
        return !e && over.write_some(asio::buffer(&hello_, sizeof hello_), e) == sizeof hello_;
    }

    void call(caller& to) {
        to.over = socket(*io_);
        asio::async_connect(to.over, to.at, [this, &to](std::error_code e, const auto&) {
            if (stopped_) return;
            std::error_code failed;
            // A connection to a port without a listener may connect to itself.
            const bool reached = !e && to.over.local_endpoint(failed) != to.over.remote_endpoint(failed) && !failed;
            if (reached && introduce(to.over)) read_reply(to);
            else call_again(to);
        });
    }

    void read_reply(caller& to) {
        asio::async_read(to.over, asio::buffer(&to.reply, sizeof(frame)), [this, &to](std::error_code e, std::size_t) {
            if (stopped_) return;
            if (!e && fits(to.reply) && to.reply.sequence == to.peer) connected(to.peer, to.over);
            else call_again(to);
        });
    }

    void call_again(caller& to) {
        std::error_code ignored;
        to.over.close(ignored);
        to.pause.expires_after(between_tries);
        to.pause.async_wait([this, &to](std::error_code) {
            if (!stopped_) call(to);
        });
    }

    void accept() {
        const auto one = std::make_shared<guest>(*io_);
        acceptor_->async_accept(one->over, [this, one](std::error_code e) {
            if (stopped_) return;
            if (e) return accept_later();
            admit(one);
            accept();
        });
    }

    /// Retries later, for example when no descriptor is left.
    void accept_later() {
        if (!guests_.empty()) drop_oldest();
        pause_.expires_after(between_tries);
        pause_.async_wait([this](std::error_code) {
            if (!stopped_) accept();
        });
    }

    void admit(const std::shared_ptr<guest>& one) {
        if (guests_.size() >= std::max<std::size_t>(options_.half_open, 1)) drop_oldest();
        one->until = clock::now() + options_.hello_patience;
        guests_.push_back(one);
        most_guests_ = std::max(most_guests_, guests_.size());
        asio::async_read(one->over, asio::buffer(&one->hello, sizeof(frame)),
                         [this, one](std::error_code e, std::size_t) {
                             if (stopped_ || !one->over.is_open()) return;
                             guests_.remove(one);
                             std::error_code ignored;
                             if (!e && is_awaited(one->hello) && introduce(one->over))
                                 connected(one->hello.sequence, one->over);
                             else one->over.close(ignored);
                         });
    }

    bool is_awaited(const frame& hello) {
        return fits(hello) && hello.sequence > rank() && !is_connected(hello.sequence);
    }

    void drop_oldest() {
        std::error_code ignored;
        guests_.front()->over.close(ignored);
        guests_.pop_front();
    }

    /// Ends all operations; afterwards none refers to this object.
    void stop() {
        if (std::exchange(stopped_, true)) return;
        std::error_code ignored;
        acceptor_->cancel(ignored);
        pause_.cancel();
        while (!guests_.empty()) drop_oldest();
        for (const auto& one : callers_) {
            one->over.close(ignored);
            one->pause.cancel();
        }
        io_->restart();
        io_->run();
    }

    asio::io_context* io_;
    asio::ip::tcp::acceptor* acceptor_;
    frame hello_;
    tcp_options options_;
    std::vector<socket> sockets_;  // by rank
    rank_t missing_;
    std::vector<std::unique_ptr<caller>> callers_;
    std::list<std::shared_ptr<guest>> guests_;  // oldest first
    std::size_t most_guests_ = 0;
    asio::steady_timer pause_;
    bool stopped_ = false;
};

}  // namespace examples
