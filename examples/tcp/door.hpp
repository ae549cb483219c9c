#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <asio/read.hpp>
#include <asio/steady_timer.hpp>

#include "meeting.hpp"

namespace examples {

/// Accepts connections for a rank. A connection becomes that of a higher rank once it has proved the key; nothing is
/// sent to one whose hello is wrong, and no proof to one that has not proved the key first. A rank that is connected
/// already, and every rank after the start of the group, is refused with the reason.
///
/// A stranger occupies a descriptor until tcp_options::handshake_timeout. Beyond tcp_options::half_open connections, a
/// random one of the address with the most of them is closed. So strangers cannot exclude a rank at another address,
/// and a rank at their own address connects after some attempts. Connections without a hello and those with one are
/// counted separately: a program that does not send the right hello excludes no rank that has sent it.
class door : public std::enable_shared_from_this<door> {
  public:
    door(std::shared_ptr<meeting> all, asio::ip::tcp::acceptor& acceptor)
        : all_(std::move(all)), acceptor_(&acceptor), pause_(*all_->io) {}

    void accept() {
        const auto one = std::make_shared<guest>(*all_->io);
        acceptor_->async_accept(one->over, [self = shared_from_this(), one](std::error_code e) {
            if (self->all_->stopped) return;
            if (!e) self->receive(one);
            else if (!self->strangers_.empty()) self->drop(self->strangers_);  // no descriptor may be left
            if (e || self->all_->started) self->accept_later();
            else self->accept();
        });
    }

    void stop() {
        std::error_code ignored;
        acceptor_->cancel(ignored);
        pause_.cancel();
        for (const auto* const list : {&strangers_, &claimants_})
            for (const auto& one : *list) one->close();
        strangers_.clear();
        claimants_.clear();
    }

    /// Returns the largest number of connections at a time without a hello, or with a hello and without a proof.
    std::size_t half_open() const { return most_; }

  private:
    /// A connection that has not proved the key.
    struct guest {
        explicit guest(asio::io_context& io) : over(io), late(io) {}
        void close() {
            std::error_code ignored;
            over.close(ignored);
            late.cancel();
        }
        meeting::socket over;
        asio::steady_timer late;
        asio::ip::address from;
        greeting theirs, mine;
        digest proof{};
    };
    using guests = std::vector<std::shared_ptr<guest>>;

    /// After the start this bounds the processor time for strangers.
    static constexpr std::chrono::milliseconds between_accepts{10};

    void accept_later() {
        pause_.expires_after(between_accepts);
        pause_.async_wait([self = shared_from_this()](std::error_code e) {
            if (!e && !self->all_->stopped) self->accept();
        });
    }

    void receive(const std::shared_ptr<guest>& one) {
        std::error_code e;
        one->from = one->over.remote_endpoint(e).address();
        if (e) return one->close();
        one->late.expires_after(all_->options.handshake_timeout);
        one->late.async_wait([one](std::error_code cancelled) {
            if (!cancelled) one->close();
        });
        add(strangers_, one);
        read(one, &one->theirs, sizeof one->theirs, strangers_, &door::take_greeting);
    }

    /// Reads a message of a guest; then take(guest) returns whether the guest stays.
    void read(const std::shared_ptr<guest>& one, void* into, std::size_t size, guests& list,
              bool (door::*take)(const std::shared_ptr<guest>&)) {
        asio::async_read(one->over, asio::buffer(into, size),
                         [self = shared_from_this(), one, &list, take](std::error_code e, std::size_t) {
                             std::erase(list, one);
                             const bool waits = !e && !self->all_->stopped && one->over.is_open();
                             if (!waits || !(self.get()->*take)(one)) one->close();
                         });
    }

    bool take_greeting(const std::shared_ptr<guest>& one) {
        if (!all_->fits(one->theirs.hello) || one->theirs.hello.sequence < all_->rank()) return false;
        one->mine.hello = all_->hello;
        if (!renew(one->mine.nonce) || !write_now(one->over, &one->mine, sizeof one->mine)) return false;
        add(claimants_, one);
        read(one, &one->proof, sizeof one->proof, claimants_, &door::take_proof);
        return true;
    }

    bool take_proof(const std::shared_ptr<guest>& one) {
        const rank_t peer = one->theirs.hello.sequence;
        if (!same(prove(all_->options.key, side::connecting, one->theirs, one->mine), one->proof)) {
            all_->at(peer).denied = true;
            return false;
        }
        verdict reply{all_->started || all_->is_connected(peer) ? tcp_error::already_connected : 0};
        reply.proof = prove(all_->options.key, side::accepting, one->theirs, one->mine, reply.error);
        if (!write_now(one->over, &reply, sizeof reply) || reply.error != 0) return false;
        one->late.cancel();
        all_->connect(one->theirs.hello, one->over);
        return true;
    }

    void add(guests& list, const std::shared_ptr<guest>& one) {
        if (list.size() >= std::max<std::size_t>(all_->options.half_open, 1)) drop(list);
        list.push_back(one);
        most_ = std::max(most_, list.size());
    }

    /// Closes a random guest of those whose address has the most.
    /// @pre !list.empty()
    void drop(guests& list) {
        std::map<asio::ip::address, std::size_t> number;
        std::size_t most = 0;
        for (const auto& one : list) most = std::max(most, ++number[one->from]);
        guests crowd;
        std::copy_if(list.begin(), list.end(), std::back_inserter(crowd),
                     [&](const auto& one) { return number[one->from] == most; });
        const auto victim = crowd[std::uniform_int_distribution<std::size_t>(0, crowd.size() - 1)(random_)];
        victim->close();
        std::erase(list, victim);
    }

    std::shared_ptr<meeting> all_;
    asio::ip::tcp::acceptor* acceptor_;
    asio::steady_timer pause_;
    guests strangers_;  ///< without a hello
    guests claimants_;  ///< with the hello of a rank, without a proof
    std::size_t most_ = 0;
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace examples
