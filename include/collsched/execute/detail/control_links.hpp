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
    explicit control_links(const communicator<Inner>& members)
        : members_(members),
          channel_(members_.empty() ? execution_options{} : members_.open_channel()),
          protocol_(members_.ranks(), members_.rank()),
          links_(static_cast<std::size_t>(members_.ranks())) {
        for (rank_t r = 0; r < members_.ranks(); ++r) {
            link_to(r).words.resize(control_message::words(members_.ranks()));
            link_to(r).part = {reinterpret_cast<std::byte*>(link_to(r).words.data()), bytes()};
        }
        for (rank_t r = 0; r < members_.ranks(); ++r)
            if (r != members_.rank()) receive(r);
    }
    control_links(const control_links&) = delete;
    control_links& operator=(const control_links&) = delete;
    /// Messages that are complete arrive, whether or not they have been received.
    ~control_links() {
        if constexpr (detail::has_ended<Inner>) members_.ended(this);
        members_.cancel(this);
    }

    communicator<Inner>& members() { return members_; }
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
               std::ranges::all_of(outgoing_, [&](const auto& entry) { return protocol_.is_done(entry.second.peer); });
    }

    /// Returns the cause of the first revocation that this member has called or received.
    const run_status& cause() const { return cause_; }

    /// Ends the operations of all members. Each member that receives it sends it to all others first.
    void revoke(const run_status& cause) {
        if (revoked_) return;
        revoked_ = true;
        cause_ = cause;
        const control_message m = control_message::revocation(cause, members_.ranks());
        for (rank_t r = 0; r < members_.ranks(); ++r)
            if (r != members_.rank() && !protocol_.has_failed(r)) send(r, m);
    }
    /// Returns whether messages of this member have not been received yet by members that live.
    bool has_outgoing() const {
        return std::ranges::any_of(outgoing_,
                                   [&](const auto& entry) { return !protocol_.has_failed(entry.second.peer); });
    }
    void start(std::uint64_t flags) {
        protocol_.start(flags, members_.children(), [this](rank_t peer, const control_message& m) { send(peer, m); });
    }

  private:
    struct link {
        std::vector<std::uint64_t> words;  // of the next message
        message::receive_part part;
        std::int64_t sends = 0, receives = 0;  // messages
    };
    struct outgoing {
        rank_t peer;
        std::vector<std::uint64_t> words;
        message::send_part part;
    };

    link& link_to(rank_t rank) { return links_[static_cast<std::size_t>(rank)]; }
    bytes_t bytes() const { return static_cast<bytes_t>(8 * control_message::words(members_.ranks())); }
    message::key key(rank_t peer, std::int64_t sequence, std::int64_t node) {
        return {peer, channel_.channel, channel_.epoch, sequence, 0, {this, node, &notify}};
    }

    static void notify(void* owner, const completion& c) {
        auto& links = *static_cast<control_links*>(owner);
        const std::int64_t node = c.request.node, ranks = links.members_.ranks();
        if (node >= ranks) links.outgoing_.erase(node);
        else if (c.error != 0) links.lose(node, c.error);
        else if (links.take(node)) links.receive(node);
    }

    /// An error needs no report: the receive from the same rank ends with one, too.
    void send(rank_t peer, const control_message& m) {
        const std::int64_t node = next_++;
        outgoing& message = outgoing_[node];
        message.peer = peer;
        message.words = m.packed();
        message.part = {reinterpret_cast<const std::byte*>(message.words.data()), bytes()};
        if (members_.post_send(key(peer, link_to(peer).sends++, node), {&message.part, 1}) != 0) outgoing_.erase(node);
    }
    /// Posts the receive of the next message, and handles those that arrive within the post.
    void receive(rank_t from) {
        for (;;) {
            const int code = members_.post_recv(key(from, link_to(from).receives++, from), {&link_to(from).part, 1});
            if (code > 0) return lose(from, code);
            if (code != already_complete || !take(from)) return;
        }
    }
    /// Handles a message. False if no member sends it: then its sender counts as failed.
    bool take(rank_t from) {
        control_message m;
        if (!m.unpack(link_to(from).words, members_.ranks()))
            return lose(from, message::error::protocol_violation), false;
        if (m.kind == control_message::revoke) revoke(m.cause(members_.ranks()));
        else protocol_.handle(from, m, [this](rank_t peer, const control_message& next) { send(peer, next); });
        return true;
    }
    /// A rank that has left regularly fails no operation but those that exchange messages with it.
    void lose(rank_t rank, int error) {
        if (error != message::error::peer_left) failed_.push_back(rank), failure_ = error;
        protocol_.lose(rank, [this](rank_t peer, const control_message& m) { send(peer, m); });
    }

    communicator<Inner> members_;
    execution_options channel_;
    agreement_protocol protocol_;
    std::vector<link> links_;
    std::map<std::int64_t, outgoing> outgoing_;  // by node; the addresses are stable
    std::int64_t next_ = members_.ranks();       // node of the next send; smaller ones are those of receives
    std::vector<rank_t> failed_;
    int failure_ = 0;
    bool revoked_ = false;
    run_status cause_{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
