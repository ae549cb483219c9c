#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

#include "collsched/execute/shared_memory/detail/early_messages.hpp"
#include "collsched/execute/shared_memory/detail/inbox_link.hpp"
#include "collsched/execute/shared_memory/detail/message_target.hpp"
#include "collsched/execute/shared_memory/detail/outbox.hpp"
#include "collsched/execute/shared_memory/detail/message_pool.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The receiving half of a shared_memory_transport: matches messages from the rings of the other ranks with posted
/// receives. A message without a receive waits in private memory: a small one in memory of fixed size, a large one as
/// its envelope alone. A short message that is the next record of its ring when its receive is posted goes from there to
/// its memory. The one receive that waits for a message of a rank is found without a search.
///
/// Each record is checked before it has any effect, and from a copy that its writer cannot change: it must be of a known
/// kind and size, and a message, a send or a receive that it refers to must be one between its writer and this rank.
template <class Group>
class message_inbox {
  public:
    /// @param allows_shorter  a receive without fingerprint takes shorter messages, and a misfit is an error of the
    ///                        receive alone
    /// @param early_limit     how many messages of each rank may wait for their receives
    message_inbox(const Group& membership, message_outbox<Group>& outbox, message_queue<completion>& completions,
                  bool allows_shorter = false, std::int64_t early_limit = std::int64_t{1} << 20)
        : group_(&membership),
          outbox_(&outbox),
          completions_(&completions),
          allows_shorter_(allows_shorter),
          links_(membership.ranks()),
          early_(early_limit) {}
    message_inbox(const message_inbox&) = delete;
    message_inbox& operator=(const message_inbox&) = delete;

    /// Makes what messages of a rank need, if it is not there.
    void connect(rank_t peer) { link_to(peer); }

    /// Makes room for so many messages in flight, so that no post and no arrival allocates before there are more.
    void reserve(std::size_t messages) {
        receives_.reserve(messages), early_.reserve(messages), copies_.reserve(messages);
    }

    /// Receives a message that is short, the next record of its rank, and no other receive's: returns already_complete, or a
    /// positive error. Returns 0 without effect if it is not; then post() follows.
    /// @param memory  parts, or a message::combined_part
    int take(const message::key& key, const auto& memory) {
        inbox_link* const link = links_.find(key.peer);
        if (link == nullptr || link->expected != 0 || link->early != 0) return 0;
        const ring_entry* record = link->ring.front();
        if (record != nullptr && record->kind == message_record::matched) record = skip_matched(*link, key.peer);
        if (record == nullptr || !is_message_of(*record, key, bytes_of(memory))) return 0;
        const int error = take_short(key, *record, memory);
        if (link->ring.pop()) group_->wake(key.peer);
        return error == 0 ? already_complete : error;
    }
    /// Posts a receive. It may be complete at once.
    /// @param memory  parts, or a message::combined_part
    void post(const message::key& key, const auto& memory) {
        inbox_link& link = link_to(key.peer);
        if (link.expected == 0 && link.early == 0 && bytes_of(memory) <= longest_short) {
            link.oldest.set(key, memory);
            ++link.expected;
            return;
        }
        incoming& receive = receives_.take();
        receive.aim(key, memory);
        expect(link, receive);
    }

    /// Handles the records that a rank has written until now, and at most one ring of those that it writes meanwhile.
    /// False if a record or a counter is one that no correct rank writes. Then this rank must not be drained again.
    bool drain(rank_t peer) {
        inbox_link& link = link_to(peer);
        ring_reader& ring = link.ring;
        const std::uint64_t end = ring.position() + static_cast<std::uint64_t>(group_->ring_bytes());
        while (const ring_entry* const record = ring.position() < end ? ring.front() : nullptr) {
            if (!take_oldest(link, *record) && !read(peer, *record)) return false;
            if (ring.pop()) group_->wake(peer);
        }
        return !ring.is_broken();
    }

    /// Returns whether a rank that is connected may have written a record.
    bool has_record(rank_t peer) const { return links_.find(peer) != nullptr && links_.find(peer)->ring.has_record(); }
    /// Returns whether messages of a rank wait for their receives.
    bool has_early(rank_t peer) const { return links_.find(peer) != nullptr && links_.find(peer)->early > 0; }
    /// Returns whether messages in the memory of other ranks wait for copy_next().
    bool has_copies() const { return !copies_.empty(); }
    /// Copies the next message out of the memory of another rank.
    void copy_next() {
        incoming* const receive = receives_.find(copies_.front());
        copies_.pop();
        if (receive == nullptr) return;
        if constexpr (Group::one_process) {
            copy_within_process(*receive);
        } else {
            bool is_copied = false;
            const int error = combining([&] {
                is_copied = receive->target.take_from(
                    group_->message_memory(link_to(receive->name.peer).process, receive->remote));
            });
            if (!is_copied && error == 0)
                return request_bytes(*receive);  // its memory may be readable by its own process only
            end_both(*receive, error, error);
        }
    }

    /// Throws the exception of a reduction that no call has thrown yet.
    void rethrow() { exception_.rethrow(); }

    /// Whether large messages of a rank are copied straight from its memory. Finds out once that one has joined.
    bool single_copy(rank_t peer) { return link_to(peer).reads_memory(*group_, peer); }

    /// Gives back the memory of one owner's receives, or of all. Senders whose messages have been matched receive a
    /// reply.
    void cancel(const void* owner, bool every_owner = false) {
        pool_oldest();
        receives_.for_each([&](incoming& receive) {
            if (!every_owner && receive.request.owner != owner) return;
            if (receive.remote.id != 0) send_reply(receive.name.peer, receive.remote.id, withdrawn());
            note_cancelled(receive.name.channel, receive.name.epoch);
            forget(receive);
        });
    }
    /// Nobody will receive the messages of this channel and epoch.
    void note_cancelled(std::uint64_t channel, std::uint64_t epoch) { early_.note_cancelled(channel, epoch); }

    /// Returns whether a small message of this name waits for its receive.
    bool has_arrived(const message::key& key) {
        const early_messages::entry* const early = early_.find(name_of(key));
        return early != nullptr && early->message.bytes != nullptr;
    }
    /// Ends with an error those receives that have not met their sends and for whose names f returns true.
    void end_unmatched(int error, auto f) {
        finish_if(error, [&](const incoming& receive) { return receive.remote.id == 0 && f(receive.name); });
    }
    /// Drops those messages without a receive for whose names f returns true: an announced one is withdrawn.
    void drop_early(auto f) {
        links_.for_each([&](rank_t peer, inbox_link& link) {
            early_.drop_if(link, peer, [&](const sent_message& message) {
                const bool drops = f(message.envelope.name(peer));
                if (drops && message.is_complete()) outbox_->note_match(peer, message.id);
                else if (drops) send_reply(peer, message.id, withdrawn());
                return drops;
            });
        });
    }
    /// Ends all that is expected of a rank that is gone. Its ring has been drained. The small messages of one that has left
    /// remain.
    void lose(rank_t peer, int error) {
        finish_if(error, [&](const incoming& receive) { return receive.name.peer == peer; });
        early_.drop_if(link_to(peer), peer, [&](const sent_message& message) {
            return error != message::error::peer_left || message.bytes == nullptr;
        });
    }

  private:
    using incoming = incoming_message;

    inbox_link& link_to(rank_t peer) {
        return links_.get(peer, [&] { return make_link(peer); });
    }
    [[gnu::noinline]] std::unique_ptr<inbox_link> make_link(rank_t peer) {
        const int capacity = most_small(group_->ranks());
        early_.reserve(++connected_ * static_cast<std::size_t>(capacity) + 64);  // its sends may be so far ahead
        return std::make_unique<inbox_link>(group_->memory(peer, group_->rank()), longest_small(group_->ring_bytes()),
                                            capacity);
    }

    /// Handles the reports of matches that are next. Returns the next other record, or null.
    [[gnu::noinline]] const ring_entry* skip_matched(inbox_link& link, rank_t peer) {
        const ring_entry* record = link.ring.front();
        while (record != nullptr && record->kind == message_record::matched && read(peer, *record)) {
            if (link.ring.pop()) group_->wake(peer);
            record = link.ring.front();
        }
        return record;
    }
    /// As take(), for the receive that waits longest, which is reported. Returns false without effect if the record is not its
    /// message.
    bool take_oldest(inbox_link& link, const ring_entry& record) {
        const oldest_receive& receive = link.oldest;
        if (!receive.waits || !is_message_of(record, receive.key, receive.size())) return false;
        link.leave_oldest();
        const int error = receive.combines ? take_short(receive.key, record, receive.part)
                                           : take_short(receive.key, record, receive.parts);
        completions_->push({receive.key.request, error, receive.key.peer});
        return true;
    }
    int take_short(const message::key& key, const ring_entry& record, const auto& memory) {
        outbox_->note_match(key.peer, record.id);
        return combining([&] { receive_short(memory, record.body + sizeof(message_label)); });
    }

    void expect(inbox_link& link, incoming& receive) {
        early_messages::entry* const early = link.early > 0 ? early_.find(receive.name) : nullptr;
        if (early != nullptr) {
            match(receive, early->message);
            return early_.drop(link, *early);
        }
        ++link.expected;
        receives_.enter_index(receive);
    }
    /// Makes the receive that waits longest one of the pool.
    void pool_oldest(inbox_link& link) {
        if (!link.oldest.waits) return;
        incoming& receive = receives_.take();
        link.oldest.aim(receive);
        link.oldest.waits = false;
        receives_.enter_index(receive);
    }
    void pool_oldest() {
        links_.for_each([&](rank_t, inbox_link& link) { pool_oldest(link); });
    }
    /// The receive of a message of this name, which does not wait any more, or null.
    incoming* find_expected(inbox_link& link, const message_name& name) {
        if (link.oldest.waits && name_of(link.oldest.key) == name) pool_oldest(link);
        if (link.expected == (link.oldest.waits ? 1 : 0)) return nullptr;
        incoming* const receive = receives_.find(name);
        if (receive != nullptr) leave(link, *receive);
        return receive;
    }
    /// The receive waits for its message no longer.
    void leave(inbox_link& link, incoming& receive) {
        --link.expected;
        receives_.leave_index(receive);
    }

    /// Calls f, which may call a reduction.
    int combining(auto f) { return exception_.run(f) ? 0 : message::error::combine_failed; }

    /// False if no rank writes such a record.
    bool read(rank_t peer, const ring_entry& record) {
        if (record.id == 0) return false;
        switch (message_record::kind_of(record)) {
            case message_record::small:
            case message_record::awaited:
                return record.bytes >= sizeof(message_label) && arrive(peer, small_message(record));
            case message_record::announce:
                return record.bytes == sizeof(message_envelope) && arrive(peer, announced_message(record));
            case message_record::request: return record.bytes == 0 && outbox_->handle_request(peer, record);
            case message_record::part: return fill(peer, record);
            case message_record::reply: return record.bytes == 0 && outbox_->handle_reply(peer, record);
            case message_record::take_back: return record.bytes == 0 && taken_back(peer, record);
            case message_record::matched: return record.bytes == 0 && outbox_->handle_matched(peer, record);
            case message_record::share:
                if constexpr (Group::one_process) outbox_->help(record.id);
                return Group::one_process;
            default: return false;
        }
    }

    bool arrive(rank_t peer, const sent_message& message) {
        if (message.envelope.size < 0) return false;
        inbox_link& link = link_to(peer);
        incoming* const receive = find_expected(link, message.envelope.name(peer));
        if (receive != nullptr) return match(*receive, message), true;
        early_.make_room(link, peer, [&](std::uint64_t id) { outbox_->note_match(peer, id); });
        return early_.put(link, peer, message);
    }

    /// A send and its receive, which is not in the index any more, have met.
    void match(incoming& receive, const sent_message& message) {
        const message_envelope& envelope = message.envelope;
        receive.remote = envelope.memory;
        receive.remote.id = message.id;
        const int misfit = receive.fit(message, allows_shorter_);
        int error = misfit;
        if (error == 0 && envelope.size > 0 && message.bytes == nullptr) {
            if (envelope.size >= group_->single_copy_from() && single_copy(receive.name.peer)) copies_.push(receive.id);
            else request_bytes(receive);
            return;
        }
        if (error == 0 && envelope.size > 0)
            error = combining([&] { receive.target.take(message.bytes, envelope.size); });
        if (message.awaited) return end_both(receive, error, misfit != 0 && allows_shorter_ ? 0 : error);
        outbox_->note_match(receive.name.peer, message.id);
        finish(receive, error);
    }

    bool fill(rank_t peer, const ring_entry& record) {
        incoming* const receive = receives_.find(record.id);
        if (receive == nullptr) return true;  // cancelled since
        const bytes_t size = record.bytes;
        if (receive->name.peer != peer || !receive->requested || !receive->target.accepts(size)) return false;
        const int error = combining([&] { receive->target.take(record.body, size); });
        if (error != 0 || receive->target.remaining() == 0) finish(*receive, error);
        return true;
    }

    bool taken_back(rank_t peer, const ring_entry& record) {
        early_.drop_if(link_to(peer), peer, [&](const sent_message& message) { return message.id == record.id; });
        finish_if(message::error::withdrawn,
                  [&](const incoming& receive) { return receive.name.peer == peer && receive.remote.id == record.id; });
        return true;
    }

    /// Copies or combines a message of another thread, unless it has been withdrawn: a record of that follows.
    void copy_within_process(incoming& receive) {
        auto& message = *reinterpret_cast<offered_message*>(receive.remote.guard);
        const std::span parts(reinterpret_cast<const message::send_part*>(receive.remote.parts), receive.remote.count);
        message_target& target = receive.target;
        if (target.combines() && parts.size() != 1) return request_bytes(receive);
        if (!message.claim(receive.remote.id)) return;
        const bool shares = !target.combines() && target.size() > 2 * chunked_copy::chunk && !group_->is_crowded();
        if (shares) {
            message.shared.open(parts, target.parts(), target.size());
            outbox_->send_record(receive.name.peer, {{0, message_record::share, receive.remote.id, 0}});
            message.shared.copy();
            while (!message.shared.close()) std::this_thread::yield();
        }
        const int error = shares ? 0 : combining([&] { target.take_directly(parts); });
        message.release();
        end_both(receive, error, error);
    }
    void end_both(incoming& receive, int error, int error_of_send) {
        send_reply(receive.name.peer, receive.remote.id, error_of_send, receive.request, error);
        forget(receive);
    }

    void request_bytes(incoming& receive) {
        receive.target.restart();
        receive.requested = true;
        outbox_->send_record(receive.name.peer, {{0, message_record::request, receive.remote.id, receive.id}});
    }
    /// The error of a send whose receive was cancelled.
    int withdrawn() const { return allows_shorter_ ? 0 : message::error::withdrawn; }
    /// @param reported          the receive, which is reported when the reply is written; or none
    /// @param error_of_receive  then reported
    void send_reply(rank_t peer, std::uint64_t send, int error, const message::request& reported = {},
                    int error_of_receive = 0) {
        const ring_record head{0, message_record::reply, send, static_cast<std::uint64_t>(error)};
        outbox_->send_record(peer, {head, {}, reported, error_of_receive});
    }
    /// Ends the receives for which f returns true.
    void finish_if(int error, auto f) {
        pool_oldest();
        receives_.for_each([&](incoming& receive) {
            if (f(receive)) finish(receive, error);
        });
    }
    void finish(incoming& receive, int error) {
        completions_->push({receive.request, error, receive.name.peer});
        forget(receive);
    }
    void forget(incoming& receive) {
        if (receive.remote.id == 0) leave(link_to(receive.name.peer), receive);
        receives_.give_back(receive);
    }

    const Group* group_;
    message_outbox<Group>* outbox_;
    message_queue<completion>* completions_;
    bool allows_shorter_;
    peer_links<inbox_link> links_;
    std::size_t connected_ = 0;
    message_pool<incoming> receives_;
    early_messages early_;
    message_queue<std::uint64_t> copies_{64};  // receives whose bytes are in the memory of another rank
    deferred_exception exception_;             // by reductions
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
