#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "collsched/execute/transport_error.hpp"
#include "collsched/execute/shared_memory/detail/kept_exception.hpp"
#include "collsched/execute/shared_memory/detail/message_shelf.hpp"
#include "collsched/execute/shared_memory/detail/message_target.hpp"
#include "collsched/execute/shared_memory/detail/process_copy.hpp"
#include "collsched/execute/shared_memory/process_group.hpp"
#include "collsched/execute/shared_memory/detail/process_messages.hpp"
#include "collsched/execute/shared_memory/detail/process_outbox.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The receiving half of a process_transport: matches messages from the rings of the other ranks with posted receives.
/// A message without a receive waits in private memory: a small one on a shelf of fixed size, a large one as its
/// envelope alone.
///
/// Each record is checked before it has any effect, and from a copy that its writer cannot change: it must be of a known
/// kind and size, and a message, a send or a receive that it refers to must be one between its writer and this rank.
class process_inbox {
  public:
    /// @param most_early how many messages of each rank may wait for their receives
    process_inbox(const process_group& group, process_outbox& out, process_message_queue<completion>& done,
                  std::int64_t most_early = std::int64_t{1} << 20)
        : most_early_(most_early),
          group_(&group),
          out_(&out),
          done_(&done),
          links_(static_cast<std::size_t>(group.ranks())),
          shelf_(group.ranks(), process_outbox::longest_small(group.ring_bytes())) {
        for (rank_t r = 0; r < group.ranks(); ++r)
            if (r != group.rank()) of(r).ring = group.segment().reader(r, group.rank());
    }
    process_inbox(const process_inbox&) = delete;
    process_inbox& operator=(const process_inbox&) = delete;

    /// Returns 0. @param memory  parts, or a combined_part
    template <class Memory>
    int post(const message_key& key, const Memory& memory) {
        incoming& receive = receives_.take();
        if constexpr (std::same_as<Memory, combined_part>) receive.target.combine_into(memory);
        else receive.target.copy_into(memory);
        expect(receive, key);
        return 0;
    }

    /// Handles the records that a rank has written until now, and at most one ring of those that it writes meanwhile.
    /// False if a record or a counter is one that no correct rank writes. Then this rank must not be drained again.
    bool drain(rank_t peer) {
        ring_reader& ring = of(peer).ring;
        const std::uint64_t end = ring.position() + static_cast<std::uint64_t>(group_->ring_bytes());
        while (const ring_entry* const record = ring.position() < end ? ring.front() : nullptr) {
            if (!read(peer, *record)) return false;
            if (ring.pop()) group_->ring(peer);
        }
        return !ring.is_broken();
    }

    /// Returns whether a rank may have written a record.
    bool has_record(rank_t peer) const { return links_[static_cast<std::size_t>(peer)].ring.has_record(); }
    /// Returns whether messages in the memory of other processes wait for copy_next().
    bool has_copies() const { return !copies_.empty(); }
    /// Copies the next message out of the memory of another process.
    void copy_next() {
        incoming* const receive = receives_.find(copies_.front());
        copies_.pop();
        if (receive == nullptr) return;
        bool taken = false;
        const int error =
            combining([&] { taken = receive->target.take_from(of(receive->name.peer).pid, receive->from); });
        if (!taken && error == 0) return request_bytes(*receive);  // its memory may be readable by its own process only
        send_reply(*receive, error);
        finish(*receive, error);
    }

    /// Throws the exception of a reduction that no call has thrown yet.
    void rethrow() { thrown_.rethrow(); }

    /// Whether large messages of a rank are copied straight from its memory. Finds out once that one has joined.
    bool single_copy(rank_t peer) {
        link& from = of(peer);
        if (from.copies == link::unknown && group_->state(peer) != process_seat::absent) {
            const process_seat& seat = group_->segment().seat(peer);
            std::uint64_t seen = 0;
            from.pid = seat.pid;  // once: the checks below are of this process
            const bool may = group_->single_copy() && is_own_process(from.pid) &&
                             detail::read_process(from.pid, seat.secret_at, &seen, sizeof seen) && seen == seat.secret;
            from.copies = may ? link::once : link::twice;
        }
        return from.copies == link::once;
    }

    /// Gives back the memory of one owner's receives, or of all. Senders whose messages have been matched receive a
    /// reply.
    void cancel(const void* owner, bool all = false) {
        receives_.for_each([&](incoming& receive) {
            if (!all && receive.request.owner != owner) return;
            if (receive.from.id != 0) send_reply(receive, transport_error::withdrawn);
            receives_.give_back(receive);
        });
    }

    /// Returns whether a small message of this name waits for its receive.
    bool has_arrived(const message_key& key) {
        const arrival* const early = arrivals_.find(message_name{key.peer, key.channel, key.epoch, key.sequence});
        return early != nullptr && early->sent.bytes != nullptr;
    }
    /// Ends all that is expected of a rank that is gone. Its ring has been drained. The small messages of one that has left
    /// remain.
    void lose(rank_t peer, int error) {
        receives_.for_each([&](incoming& receive) {
            if (receive.name.peer == peer) finish(receive, error);
        });
        arrivals_.for_each([&](arrival& arrived) {
            if (arrived.name.peer == peer && (error != transport_error::peer_left || arrived.sent.bytes == nullptr))
                drop(arrived);
        });
    }

  private:
    struct incoming {
        std::uint64_t id = 0;
        message_name name;
        message_request request;
        message_target target;
        std::uint64_t fingerprint = 0;
        remote_message from;     // id 0: it has not met its send
        bool requested = false;  // its bytes, in parts
    };
    /// A message that nobody has posted a receive for.
    struct arrival {
        std::uint64_t id = 0;
        message_name name;
        sent_message sent;
    };
    struct link {
        enum copying { unknown, once, twice };
        ring_reader ring;
        std::int64_t early = 0;  // messages that wait for their receives
        copying copies = unknown;
        pid_t pid = 0;  // once `copies` is known
    };
    static_assert(process_outbox::most_small == message_shelf::places);

    link& of(rank_t peer) { return links_[static_cast<std::size_t>(peer)]; }

    void expect(incoming& receive, const message_key& key) {
        receive.name = {key.peer, key.channel, key.epoch, key.sequence};
        receive.request = key.request;
        receive.fingerprint = key.fingerprint;
        receive.from = {};
        receive.requested = false;
        arrival* const early = arrivals_.find(receive.name);
        if (early == nullptr) return receives_.enter_index(receive);
        match(receive, early->sent);
        drop(*early);
    }

    /// Calls f, which may call a reduction.
    template <class F>
    int combining(F f) {
        return thrown_.run(f) ? 0 : transport_error::combine_failed;
    }

    /// False if no rank writes such a record.
    bool read(rank_t peer, const ring_entry& record) {
        const std::uint32_t envelope = sizeof(process_envelope);
        if (record.id == 0) return false;
        switch (record.kind) {
            case process_note::small:
            case process_note::awaited: return record.bytes >= sizeof(process_label) && arrive_small(peer, record);
            case process_note::announce: return record.bytes == envelope && arrive_announced(peer, record);
            case process_note::request: return record.bytes == 0 && out_->handle_request(peer, record);
            case process_note::part: return fill(peer, record);
            case process_note::reply: return record.bytes == 0 && out_->handle_reply(peer, record);
            case process_note::take_back: return record.bytes == 0 && taken_back(peer, record);
            case process_note::matched:
                return record.bytes == sizeof(process_note::matched_ids) && handle_matched(peer, record);
            default: return false;
        }
    }

    bool arrive_small(rank_t peer, const ring_entry& record) {
        process_label label;
        copy_once(label, record.body);
        const bytes_t size = static_cast<bytes_t>(record.bytes) - static_cast<bytes_t>(sizeof label);
        return arrive(peer, {record.id, label.envelope(record.value, size), record.body + sizeof label,
                             record.kind == process_note::awaited});
    }
    bool arrive_announced(rank_t peer, const ring_entry& record) {
        process_envelope about;
        copy_once(about, record.body);
        return about.size >= 0 && arrive(peer, {record.id, about, nullptr, true});
    }
    bool arrive(rank_t peer, const sent_message& sent) {
        if (incoming* const receive = receives_.find(sent.about.name(peer))) {
            receives_.leave_index(*receive);
            match(*receive, sent);
            return true;
        }
        link& from = of(peer);
        if (from.early >= most_early_) return false;
        const std::byte* const kept = sent.bytes == nullptr ? nullptr : shelf_.put(peer, sent.bytes, sent.about.size);
        if (kept == nullptr && sent.bytes != nullptr) return false;
        ++from.early;
        arrival& early = arrivals_.take();
        early.name = sent.about.name(peer);
        early.sent = sent;
        early.sent.bytes = kept;
        arrivals_.enter_index(early);
        return true;
    }

    /// A send and its receive have met.
    void match(incoming& receive, const sent_message& sent) {
        const process_envelope& about = sent.about;
        receive.from = about.where;
        receive.from.id = sent.id;
        int error = about.fingerprint != receive.fingerprint ? transport_error::disagreement
                    : about.size != receive.target.size()    ? transport_error::size_mismatch
                                                             : 0;
        if (error == 0 && about.size > 0 && sent.bytes == nullptr) {
            if (about.size >= group_->single_copy_from() && single_copy(receive.name.peer)) copies_.push(receive.id);
            else request_bytes(receive);
            return;
        }
        if (error == 0 && about.size > 0) error = combining([&] { receive.target.take(sent.bytes, about.size); });
        if (sent.awaited) send_reply(receive, error);
        else out_->note_match(receive.name.peer, sent.id);
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

    bool handle_matched(rank_t peer, const ring_entry& record) {
        process_note::matched_ids ids;
        copy_once(ids, record.body);
        return out_->handle_matched(peer, ids);
    }

    bool taken_back(rank_t peer, const ring_entry& record) {
        arrivals_.for_each([&](arrival& early) {
            if (early.name.peer == peer && early.sent.id == record.id) drop(early);
        });
        receives_.for_each([&](incoming& receive) {
            if (receive.name.peer == peer && receive.from.id == record.id) finish(receive, transport_error::withdrawn);
        });
        return true;
    }

    void request_bytes(incoming& receive) {
        receive.target.restart();
        receive.requested = true;
        out_->send_note(receive.name.peer, {{0, process_note::request, receive.from.id, receive.id}});
    }
    void send_reply(const incoming& receive, int error) {
        out_->send_note(receive.name.peer,
                        {{0, process_note::reply, receive.from.id, static_cast<std::uint64_t>(error)}});
    }
    void finish(incoming& receive, int error) {
        done_->push({receive.request, error, receive.name.peer});
        receives_.give_back(receive);
    }
    void drop(arrival& early) {
        --of(early.name.peer).early;
        if (early.sent.bytes != nullptr) shelf_.clear(early.name.peer, early.sent.bytes);
        arrivals_.give_back(early);
    }

    std::int64_t most_early_;
    const process_group* group_;
    process_outbox* out_;
    process_message_queue<completion>* done_;
    std::vector<link> links_;
    message_shelf shelf_;
    process_message_pool<incoming> receives_;
    process_message_pool<arrival> arrivals_;
    process_message_queue<std::uint64_t> copies_{64};  // receives whose bytes are in another process
    kept_exception thrown_;                            // by reductions
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
