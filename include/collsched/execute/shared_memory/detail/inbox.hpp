#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

#include "collsched/execute/shared_memory/detail/early_messages.hpp"
#include "collsched/execute/shared_memory/detail/inbox_link.hpp"
#include "collsched/execute/shared_memory/detail/kept_exception.hpp"
#include "collsched/execute/shared_memory/detail/message_target.hpp"
#include "collsched/execute/shared_memory/detail/outbox.hpp"
#include "collsched/execute/shared_memory/detail/peer_links.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/transport_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The receiving half of a shared_memory_transport: matches messages from the rings of the other ranks with posted
/// receives. A message without a receive waits in private memory: a small one on a shelf of fixed size, a large one as
/// its envelope alone. A short message that is the next record of its ring when its receive is posted goes from there to
/// its memory. The one receive that waits for a message of a rank is found without a search.
///
/// Each record is checked before it has any effect, and from a copy that its writer cannot change: it must be of a known
/// kind and size, and a message, a send or a receive that it refers to must be one between its writer and this rank.
template <class Room>
class message_inbox {
  public:
    /// @param shorter     a receive without fingerprint takes shorter messages, and a misfit is an error of the receive alone
    /// @param most_early  how many messages of each rank may wait for their receives
    message_inbox(const Room& room, message_outbox<Room>& out, message_queue<completion>& done, bool shorter = false,
                  std::int64_t most_early = std::int64_t{1} << 20)
        : room_(&room), out_(&out), done_(&done), shorter_(shorter), links_(room.ranks()), early_(most_early) {}
    message_inbox(const message_inbox&) = delete;
    message_inbox& operator=(const message_inbox&) = delete;

    /// Makes what messages of a rank need, if it is not there.
    void connect(rank_t peer) { of(peer); }

    /// Makes room for so many messages in flight, so that no post and no arrival allocates before there are more.
    void hold(std::size_t messages) { receives_.hold(messages), early_.hold(messages), copies_.hold(messages); }

    /// Receives a message that is short, the next record of its rank, and no other receive's: returns already_complete, or a
    /// positive error. Returns 0 without effect if it is not; then post() follows.
    /// @param memory  parts, or a combined_part
    template <class Memory>
    int take(const message_key& key, const Memory& memory) {
        link* const from = links_.find(key.peer);
        if (from == nullptr || from->expected != 0 || from->early != 0) return 0;
        const ring_entry* record = from->ring.front();
        if (record != nullptr && record->kind == message_note::matched) record = skip_matched(*from, key.peer);
        if (record == nullptr || !is_message_of(*record, key, bytes_of(memory))) return 0;
        const int error = take_short(key, *record, memory);
        if (from->ring.pop()) room_->ring(key.peer);
        return error == 0 ? already_complete : error;
    }
    /// Posts a receive. It may be complete at once.
    /// @param memory  parts, or a combined_part
    template <class Memory>
    void post(const message_key& key, const Memory& memory) {
        link& from = of(key.peer);
        if (from.expected == 0 && from.early == 0 && bytes_of(memory) <= longest_short) {
            from.oldest.set(key, memory);
            ++from.expected;
            return;
        }
        incoming& receive = receives_.take();
        receive.aim(key, memory);
        expect(from, receive);
    }

    /// Handles the records that a rank has written until now, and at most one ring of those that it writes meanwhile.
    /// False if a record or a counter is one that no correct rank writes. Then this rank must not be drained again.
    bool drain(rank_t peer) {
        link& from = of(peer);
        ring_reader& ring = from.ring;
        const std::uint64_t end = ring.position() + static_cast<std::uint64_t>(room_->ring_bytes());
        while (const ring_entry* const record = ring.position() < end ? ring.front() : nullptr) {
            if (!take_oldest(from, *record) && !read(peer, *record)) return false;
            if (ring.pop()) room_->ring(peer);
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
        if constexpr (Room::one_process) {
            copy_within_process(*receive);
        } else {
            bool taken = false;
            const int error = combining([&] {
                taken = receive->target.take_from(room_->message_memory(of(receive->name.peer).process, receive->from));
            });
            if (!taken && error == 0)
                return request_bytes(*receive);  // its memory may be readable by its own process only
            end_both(*receive, error, error);
        }
    }

    /// Throws the exception of a reduction that no call has thrown yet.
    void rethrow() { thrown_.rethrow(); }

    /// Whether large messages of a rank are copied straight from its memory. Finds out once that one has joined.
    bool single_copy(rank_t peer) { return of(peer).reads_memory(*room_, peer); }

    /// Gives back the memory of one owner's receives, or of all. Senders whose messages have been matched receive a
    /// reply.
    void cancel(const void* owner, bool all = false) {
        pool_oldest();
        receives_.for_each([&](incoming& receive) {
            if (!all && receive.request.owner != owner) return;
            if (receive.from.id != 0) send_reply(receive.name.peer, receive.from.id, withdrawn());
            note_cancelled(receive.name.channel, receive.name.generation);
            forget(receive);
        });
    }
    /// Nobody will receive the messages of this channel and epoch.
    void note_cancelled(std::uint64_t channel, std::uint64_t epoch) { early_.note_cancelled(channel, epoch); }

    /// Returns whether a small message of this name waits for its receive.
    bool has_arrived(const message_key& key) {
        const early_messages::message* const early = early_.find(name_of(key));
        return early != nullptr && early->sent.bytes != nullptr;
    }
    /// Ends with an error those receives that have not met their sends and for whose names f returns true.
    void end_unmatched(int error, auto f) {
        pool_oldest();
        receives_.for_each([&](incoming& receive) {
            if (receive.from.id == 0 && f(receive.name)) finish(receive, error);
        });
    }
    /// Drops those messages without a receive for whose names f returns true: an announced one is withdrawn.
    void drop_early(auto f) {
        links_.for_each([&](rank_t peer, link& from) {
            early_.drop_if(from, peer, [&](const sent_message& sent) {
                const bool drops = f(sent.about.name(peer));
                if (drops && sent.is_complete()) out_->note_match(peer, sent.id);
                else if (drops) send_reply(peer, sent.id, withdrawn());
                return drops;
            });
        });
    }
    /// Ends all that is expected of a rank that is gone. Its ring has been drained. The small messages of one that has left
    /// remain.
    void lose(rank_t peer, int error) {
        pool_oldest();
        receives_.for_each([&](incoming& receive) {
            if (receive.name.peer == peer) finish(receive, error);
        });
        early_.drop_if(of(peer), peer, [&](const sent_message& sent) {
            return error != transport_error::peer_left || sent.bytes == nullptr;
        });
    }

  private:
    using incoming = incoming_message;
    using link = inbox_link;

    link& of(rank_t peer) {
        return links_.of(peer, [&] { return make(peer); });
    }
    [[gnu::noinline]] std::unique_ptr<link> make(rank_t peer) {
        const int most = most_small(room_->ranks());
        early_.hold(++connected_ * static_cast<std::size_t>(most) + 64);  // its sends may be so far ahead
        return std::make_unique<link>(room_->memory(peer, room_->rank()), longest_small(room_->ring_bytes()), most);
    }

    /// Handles the reports of matches that are next. Returns the next other record, or null.
    [[gnu::noinline]] const ring_entry* skip_matched(link& from, rank_t peer) {
        const ring_entry* record = from.ring.front();
        while (record != nullptr && record->kind == message_note::matched && read(peer, *record)) {
            if (from.ring.pop()) room_->ring(peer);
            record = from.ring.front();
        }
        return record;
    }
    /// As take(), for the receive that waits longest, which is reported. Returns false without effect if the record is not its
    /// message.
    bool take_oldest(link& from, const ring_entry& record) {
        const oldest_receive& receive = from.oldest;
        if (!receive.waits || !is_message_of(record, receive.key, receive.size())) return false;
        from.leave_oldest();
        const int error = receive.combines ? take_short(receive.key, record, receive.part)
                                           : take_short(receive.key, record, receive.parts);
        done_->push({receive.key.request, error, receive.key.peer});
        return true;
    }
    template <class Memory>
    int take_short(const message_key& key, const ring_entry& record, const Memory& memory) {
        out_->note_match(key.peer, record.id);
        return combining([&] { receive_short(memory, record.body + sizeof(message_label)); });
    }

    void expect(link& from, incoming& receive) {
        early_messages::message* const early = from.early > 0 ? early_.find(receive.name) : nullptr;
        if (early != nullptr) {
            match(receive, early->sent);
            return early_.drop(from, *early);
        }
        ++from.expected;
        receives_.enter_index(receive);
    }
    /// Makes the receive that waits longest one of the pool.
    void pool_oldest(link& from) {
        if (!from.oldest.waits) return;
        incoming& receive = receives_.take();
        from.oldest.aim(receive);
        from.oldest.waits = false;
        receives_.enter_index(receive);
    }
    void pool_oldest() {
        links_.for_each([&](rank_t, link& from) { pool_oldest(from); });
    }
    /// The receive of a message of this name, which does not wait any more, or null.
    incoming* find_expected(link& from, const message_name& name) {
        if (from.oldest.waits && name_of(from.oldest.key) == name) pool_oldest(from);
        if (from.expected == (from.oldest.waits ? 1 : 0)) return nullptr;
        incoming* const found = receives_.find(name);
        if (found != nullptr) leave(from, *found);
        return found;
    }
    /// The receive waits for its message no longer.
    void leave(link& from, incoming& receive) {
        --from.expected;
        receives_.leave_index(receive);
    }

    /// Calls f, which may call a reduction.
    template <class F>
    int combining(F f) {
        return thrown_.run(f) ? 0 : transport_error::combine_failed;
    }

    /// False if no rank writes such a record.
    bool read(rank_t peer, const ring_entry& record) {
        if (record.id == 0) return false;
        switch (message_note::kind_of(record)) {
            case message_note::small:
            case message_note::awaited:
                return record.bytes >= sizeof(message_label) && arrive(peer, small_message(record));
            case message_note::announce:
                return record.bytes == sizeof(message_envelope) && arrive(peer, announced_message(record));
            case message_note::request: return record.bytes == 0 && out_->handle_request(peer, record);
            case message_note::part: return fill(peer, record);
            case message_note::reply: return record.bytes == 0 && out_->handle_reply(peer, record);
            case message_note::take_back: return record.bytes == 0 && taken_back(peer, record);
            case message_note::matched: return record.bytes == 0 && out_->handle_matched(peer, record);
            case message_note::share:
                if constexpr (Room::one_process) out_->help(record.id);
                return Room::one_process;
            default: return false;
        }
    }

    bool arrive(rank_t peer, const sent_message& sent) {
        if (sent.about.size < 0) return false;
        link& from = of(peer);
        if (incoming* const receive = find_expected(from, sent.about.name(peer))) {
            match(*receive, sent);
            return true;
        }
        early_.make_room(from, peer, [&](std::uint64_t id) { out_->note_match(peer, id); });
        return early_.put(from, peer, sent);
    }

    /// A send and its receive, which is not in the index any more, have met.
    void match(incoming& receive, const sent_message& sent) {
        const message_envelope& about = sent.about;
        receive.from = about.where;
        receive.from.id = sent.id;
        const int misfit = receive.fit(sent, shorter_);
        int error = misfit;
        if (error == 0 && about.size > 0 && sent.bytes == nullptr) {
            if (about.size >= room_->single_copy_from() && single_copy(receive.name.peer)) copies_.push(receive.id);
            else request_bytes(receive);
            return;
        }
        if (error == 0 && about.size > 0) error = combining([&] { receive.target.take(sent.bytes, about.size); });
        if (sent.awaited) return end_both(receive, error, misfit != 0 && shorter_ ? 0 : error);
        out_->note_match(receive.name.peer, sent.id);
        finish(receive, error);
    }

    bool fill(rank_t peer, const ring_entry& record) {
        incoming* const receive = receives_.find(record.id);
        if (receive == nullptr) return true;  // cancelled since
        const bytes_t size = record.bytes;
        if (receive->name.peer != peer || !receive->requested || !receive->target.accepts(size)) return false;
        const int error = combining([&] { receive->target.take(record.body, size); });
        if (error != 0 || receive->target.left() == 0) finish(*receive, error);
        return true;
    }

    bool taken_back(rank_t peer, const ring_entry& record) {
        early_.drop_if(of(peer), peer, [&](const sent_message& sent) { return sent.id == record.id; });
        receives_.for_each([&](incoming& receive) {
            if (receive.name.peer == peer && receive.from.id == record.id) finish(receive, transport_error::withdrawn);
        });
        return true;
    }

    /// Copies or combines a message of another thread, unless it has been withdrawn: its note of that follows.
    void copy_within_process(incoming& receive) {
        auto& sent = *reinterpret_cast<offered_message*>(receive.from.guard);
        const std::span parts(reinterpret_cast<const send_part*>(receive.from.parts), receive.from.count);
        message_target& target = receive.target;
        if (target.combines() && parts.size() != 1) return request_bytes(receive);
        if (!sent.claim(receive.from.id)) return;
        const bool shares = !target.combines() && target.size() > 2 * chunked_copy::chunk && !room_->is_crowded();
        if (shares) {
            sent.shared.open(parts, target.parts(), target.size());
            out_->send_note(receive.name.peer, {{0, message_note::share, receive.from.id, 0}});
            sent.shared.copy();
            while (!sent.shared.close()) std::this_thread::yield();
        }
        const int error = shares ? 0 : combining([&] { target.take_directly(parts); });
        sent.release();
        end_both(receive, error, error);
    }
    void end_both(incoming& receive, int error, int error_of_send) {
        send_reply(receive.name.peer, receive.from.id, error_of_send, receive.request, error);
        forget(receive);
    }

    void request_bytes(incoming& receive) {
        receive.target.restart();
        receive.requested = true;
        out_->send_note(receive.name.peer, {{0, message_note::request, receive.from.id, receive.id}});
    }
    /// The error of a send whose receive was cancelled.
    int withdrawn() const { return shorter_ ? 0 : transport_error::withdrawn; }
    /// @param reported          the receive, which is reported when the reply is written; or none
    /// @param error_of_receive  then reported
    void send_reply(rank_t peer, std::uint64_t send, int error, const message_request& reported = {},
                    int error_of_receive = 0) {
        const ring_record head{0, message_note::reply, send, static_cast<std::uint64_t>(error)};
        out_->send_note(peer, {head, {}, reported, error_of_receive});
    }
    void finish(incoming& receive, int error) {
        done_->push({receive.request, error, receive.name.peer});
        forget(receive);
    }
    void forget(incoming& receive) {
        if (receive.from.id == 0) leave(of(receive.name.peer), receive);
        receives_.give_back(receive);
    }

    const Room* room_;
    message_outbox<Room>* out_;
    message_queue<completion>* done_;
    bool shorter_;
    peer_links<link> links_;
    std::size_t connected_ = 0;
    message_pool<incoming> receives_;
    early_messages early_;
    message_queue<std::uint64_t> copies_{64};  // receives whose bytes are in the memory of another rank
    kept_exception thrown_;                    // by reductions
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
