#pragma once

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <asio/read.hpp>
#include <asio/steady_timer.hpp>

#include "collsched/execute/tcp/detail/bootstrap.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// Accepts connections for a rank. A connection becomes that of a higher rank once its peer has proved the key. A peer
/// with a wrong hello receives nothing, and a peer that has not proved the key receives no proof. A rank that is
/// connected already, and every rank after the start of the group, is refused with the reason.
///
/// An unknown peer occupies a descriptor until tcp_options::handshake_timeout. Beyond tcp_options::half_open
/// connections, a random one of the address with the most of them is closed. So unknown peers cannot exclude a rank at
/// another address, and a rank at their address connects after some attempts. Connections without a hello and those
/// with one are counted separately: a program that does not send the right hello excludes no rank that has sent it.
class listener : public std::enable_shared_from_this<listener> {
  public:
    listener(std::shared_ptr<bootstrap> shared, asio::ip::tcp::acceptor& acceptor)
        : shared_(std::move(shared)), acceptor_(&acceptor), pause_(*shared_->io) {}

    void accept() {
        const auto peer = std::make_shared<half_open_peer>(*shared_->io);
        acceptor_->async_accept(peer->stream, [self = shared_from_this(), peer](std::error_code e) {
            if (self->shared_->stopped) return;
            if (!e) self->receive(peer);
            else if (!self->unknown_.empty()) self->drop(self->unknown_);  // no descriptor may be left
            if (e || self->shared_->started) self->accept_later();
            else self->accept();
        });
    }

    void stop() {
        std::error_code ignored;
        acceptor_->cancel(ignored);
        pause_.cancel();
        for (const auto* const list : {&unknown_, &unproved_})
            for (const auto& peer : *list) peer->close();
        unknown_.clear();
        unproved_.clear();
    }

    /// Returns the largest number of connections at a time without a hello, or with a hello and without a proof.
    std::size_t half_open() const { return largest_; }

  private:
    /// A connection that has not proved the key.
    struct half_open_peer {
        explicit half_open_peer(asio::io_context& io) : stream(io), timer(io) {}
        void close() {
            std::error_code ignored;
            stream.close(ignored);
            timer.cancel();
        }
        bootstrap::socket stream;
        asio::steady_timer timer;  ///< closes the connection
        asio::ip::address address;
        greeting remote, local;
        digest proof{};
    };
    using peer_pointer = std::shared_ptr<half_open_peer>;
    using peer_list = std::vector<peer_pointer>;

    /// After the start this bounds the processor time for unknown peers.
    static constexpr std::chrono::milliseconds between_accepts{10};

    void accept_later() {
        pause_.expires_after(between_accepts);
        pause_.async_wait([self = shared_from_this()](std::error_code e) {
            if (!e && !self->shared_->stopped) self->accept();
        });
    }

    void receive(const peer_pointer& peer) {
        std::error_code e;
        peer->address = peer->stream.remote_endpoint(e).address();
        if (e) return peer->close();
        peer->timer.expires_after(shared_->options.handshake_timeout);
        peer->timer.async_wait([peer](std::error_code cancelled) {
            if (!cancelled) peer->close();
        });
        add(unknown_, peer);
        read(peer, &peer->remote, sizeof peer->remote, unknown_, &listener::take_greeting);
    }

    /// Reads a message of a peer; then take(peer) returns whether the connection stays open.
    void read(const peer_pointer& peer, void* message, std::size_t size, peer_list& list,
              bool (listener::*take)(const peer_pointer&)) {
        asio::async_read(peer->stream, asio::buffer(message, size),
                         [self = shared_from_this(), peer, &list, take](std::error_code e, std::size_t) {
                             std::erase(list, peer);
                             const bool waits = !e && !self->shared_->stopped && peer->stream.is_open();
                             if (!waits || !(self.get()->*take)(peer)) peer->close();
                         });
    }

    bool take_greeting(const peer_pointer& peer) {
        if (!shared_->fits(peer->remote.hello) || peer->remote.hello.sequence < shared_->rank()) return false;
        peer->local.hello = shared_->hello;
        if (!renew(peer->local.nonce) || !write_now(peer->stream, &peer->local, sizeof peer->local)) return false;
        add(unproved_, peer);
        read(peer, &peer->proof, sizeof peer->proof, unproved_, &listener::take_proof);
        return true;
    }

    bool take_proof(const peer_pointer& peer) {
        const rank_t rank = peer->remote.hello.sequence;
        if (!equal_digests(prove(shared_->options.key, side::connecting, peer->remote, peer->local), peer->proof)) {
            shared_->at(rank).denied = true;
            return false;
        }
        acceptance reply{shared_->started || shared_->is_connected(rank) ? tcp_error::already_connected : 0};
        reply.proof = prove(shared_->options.key, side::accepting, peer->remote, peer->local, reply.error);
        if (!write_now(peer->stream, &reply, sizeof reply) || reply.error != 0) return false;
        peer->timer.cancel();
        shared_->connect(peer->remote.hello, peer->stream);
        return true;
    }

    void add(peer_list& list, const peer_pointer& peer) {
        if (list.size() >= std::max<std::size_t>(shared_->options.half_open, 1)) drop(list);
        list.push_back(peer);
        largest_ = std::max(largest_, list.size());
    }

    /// Closes a random peer of those whose address has the most connections.
    /// @pre !list.empty()
    void drop(peer_list& list) {
        std::map<asio::ip::address, std::size_t> number;
        std::size_t most = 0;
        for (const auto& peer : list) most = std::max(most, ++number[peer->address]);
        peer_list crowd;
        std::copy_if(list.begin(), list.end(), std::back_inserter(crowd),
                     [&](const auto& peer) { return number[peer->address] == most; });
        const auto victim = crowd[std::uniform_int_distribution<std::size_t>(0, crowd.size() - 1)(random_)];
        victim->close();
        std::erase(list, victim);
    }

    std::shared_ptr<bootstrap> shared_;
    asio::ip::tcp::acceptor* acceptor_;
    asio::steady_timer pause_;
    peer_list unknown_;        ///< without a hello
    peer_list unproved_;       ///< with the hello of a rank, without a proof
    std::size_t largest_ = 0;  ///< size of either list at any time
    std::minstd_rand random_{std::random_device{}()};
};

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
