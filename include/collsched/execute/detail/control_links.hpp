#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "collsched/execute/communicator.hpp"
#include "collsched/execute/detail/agreement_protocol.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Control messages of one member of a communicator: revocations and agreements. A receive from each other member is
/// posted at all times, so any poll of the transport handles them, and the error of such a receive is the detector of
/// failures. Its address is the owner of its requests.
template <transport Inner>
class control_links {
  public:
    explicit control_links(const communicator<Inner>& over)
        : over_(over),
          channel_(over_.empty() ? execution_options{} : over_.open_channel()),
          protocol_(over_.ranks(), over_.rank()),
          links_(static_cast<std::size_t>(over_.ranks())) {
        for (rank_t r = 0; r < over_.ranks(); ++r) {
            of(r).words.resize(control_message::words(over_.ranks()));
            of(r).part = {reinterpret_cast<std::byte*>(of(r).words.data()), bytes()};
        }
        for (rank_t r = 0; r < over_.ranks(); ++r)
            if (r != over_.rank()) receive(r);
    }
    control_links(const control_links&) = delete;
    control_links& operator=(const control_links&) = delete;
    /// Messages that are complete arrive, whether or not they have been received.
    ~control_links() {
        if constexpr (detail::has_ended<Inner>) over_.ended(this);
        over_.cancel(this);
    }

    communicator<Inner>& over() { return over_; }
    bool is_revoked() const { return revoked_; }
    /// Returns the members that have failed, in the order of their detection.
    const std::vector<rank_t>& failed() const { return failed_; }
    /// Returns the error of the last member that has failed.
    int failure() const { return failure_; }
    const agreement_protocol& protocol() const { return protocol_; }
    /// Returns whether the last agreement has ended: this member has decided, and each living member has sent its
    /// decision or has received all messages of this one. So none needs this object for the agreement any more.
    bool has_ended() const {
        return !protocol_.running() &&
               std::ranges::all_of(outgoing_, [&](const auto& one) { return protocol_.is_done(one.second.to); });
    }

    /// Returns the cause of the first revocation that this member has called or received.
    const run_status& cause() const { return cause_; }

    /// Ends the operations of all members. Each member that receives it sends it to all others first.
    void revoke(const run_status& cause) {
        if (revoked_) return;
        revoked_ = true;
        cause_ = cause;
        const control_message m = control_message::revocation(cause, over_.ranks());
        for (rank_t r = 0; r < over_.ranks(); ++r)
            if (r != over_.rank() && !protocol_.has_failed(r)) send(r, m);
    }
    /// Returns whether messages of this member have not been received yet by members that live.
    bool has_outgoing() const {
        return std::ranges::any_of(outgoing_, [&](const auto& one) { return !protocol_.has_failed(one.second.to); });
    }
    void start(std::uint64_t flags) {
        protocol_.start(flags, over_.children(), [this](rank_t to, const control_message& m) { send(to, m); });
    }

  private:
    struct link {
        std::vector<std::uint64_t> words;  // of the next message
        receive_part part;
        std::int64_t sent = 0, received = 0;  // messages
    };
    struct outgoing {
        rank_t to;
        std::vector<std::uint64_t> words;
        send_part part;
    };

    link& of(rank_t rank) { return links_[static_cast<std::size_t>(rank)]; }
    bytes_t bytes() const { return static_cast<bytes_t>(8 * control_message::words(over_.ranks())); }
    message_key key(rank_t peer, std::int64_t sequence, std::int64_t node) {
        return {peer, channel_.channel, channel_.epoch, sequence, 0, {this, node, &notify}};
    }

    static void notify(void* owner, const completion& c) {
        auto& links = *static_cast<control_links*>(owner);
        const std::int64_t node = c.request.node, ranks = links.over_.ranks();
        if (node >= ranks) links.outgoing_.erase(node);
        else if (c.error != 0) links.lose(node, c.error);
        else if (links.take(node)) links.receive(node);
    }

    /// An error needs no report: the receive from the same rank ends with one, too.
    void send(rank_t to, const control_message& m) {
        const std::int64_t node = next_++;
        outgoing& message = outgoing_[node];
        message.to = to;
        message.words = m.packed();
        message.part = {reinterpret_cast<const std::byte*>(message.words.data()), bytes()};
        if (over_.post_send(key(to, of(to).sent++, node), {&message.part, 1}) != 0) outgoing_.erase(node);
    }
    /// Posts the receive of the next message, and handles those that arrive within the post.
    void receive(rank_t from) {
        for (;;) {
            const int posted = over_.post_recv(key(from, of(from).received++, from), {&of(from).part, 1});
            if (posted > 0) return lose(from, posted);
            if (posted != already_complete || !take(from)) return;
        }
    }
    /// Handles a message. False if no member sends it: then its sender counts as failed.
    bool take(rank_t from) {
        control_message m;
        if (!m.unpack(of(from).words, over_.ranks())) return lose(from, transport_error::protocol_violation), false;
        if (m.kind == control_message::revoke) revoke(m.cause(over_.ranks()));
        else protocol_.handle(from, m, [this](rank_t to, const control_message& next) { send(to, next); });
        return true;
    }
    /// A rank that has left regularly fails no operation but those that exchange messages with it.
    void lose(rank_t rank, int error) {
        if (error != transport_error::peer_left) failed_.push_back(rank), failure_ = error;
        protocol_.lose(rank, [this](rank_t to, const control_message& m) { send(to, m); });
    }

    communicator<Inner> over_;
    execution_options channel_;
    agreement_protocol protocol_;
    std::vector<link> links_;
    std::map<std::int64_t, outgoing> outgoing_;  // by node; the addresses are stable
    std::int64_t next_ = over_.ranks();          // node of the next send; smaller ones are those of receives
    std::vector<rank_t> failed_;
    int failure_ = 0;
    bool revoked_ = false;
    run_status cause_{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
