#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "collsched/execute/transport_error.hpp"
#include "collsched/execute/shared_memory/detail/kept_exception.hpp"
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
          slot_bytes_(static_cast<std::size_t>(process_outbox::longest_small(group.ring_bytes()))),
          shelf_(new std::byte[links_.size() * process_outbox::most_small * slot_bytes_]) {
        for (rank_t r = 0; r < group.ranks(); ++r)
            if (r != group.rank()) of(r).ring = group.segment().reader(r, group.rank());
    }
    process_inbox(const process_inbox&) = delete;
    process_inbox& operator=(const process_inbox&) = delete;

    int post(const message_key& key, std::span<const receive_part> parts) {
        incoming& receive = receives_.take();
        receive.target.copy_into(parts);
        expect(receive, key);
        return 0;
    }
    int post(const message_key& key, const combined_part& part) {
        incoming& receive = receives_.take();
        receive.target.combine_into(part);
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
        return early != nullptr && early->slot >= 0;
    }
    /// Ends all that is expected of a rank that is gone. Its ring has been drained. The small messages of one that has left
    /// remain.
    void lose(rank_t peer, int error) {
        receives_.for_each([&](incoming& receive) {
            if (receive.name.peer == peer) finish(receive, error);
        });
        arrivals_.for_each([&](arrival& arrived) {
            if (arrived.name.peer == peer && (error != transport_error::peer_left || arrived.slot < 0)) drop(arrived);
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
        std::uint64_t send = 0;
        process_envelope about{};
        int slot{};  // of the shelf; -1: it is no small one
    };
    struct link {
        enum copying { unknown, once, twice };
        ring_reader ring;
        std::uint32_t taken = 0;  // slots of the shelf, a bit each
        std::int64_t early = 0;   // messages that wait for their receives
        copying copies = unknown;
        pid_t pid = 0;  // once `copies` is known
    };
    static_assert(process_outbox::most_small == 32, "a bit for each");

    link& of(rank_t peer) { return links_[static_cast<std::size_t>(peer)]; }
    std::byte* slot(rank_t peer, int which) {
        const auto index =
            static_cast<std::size_t>(peer) * process_outbox::most_small + static_cast<std::size_t>(which);
        return shelf_.get() + index * slot_bytes_;
    }

    void expect(incoming& receive, const message_key& key) {
        receive.name = {key.peer, key.channel, key.epoch, key.sequence};
        receive.request = key.request;
        receive.fingerprint = key.fingerprint;
        receive.from = {};
        receive.requested = false;
        arrival* const early = arrivals_.find(receive.name);
        if (early == nullptr) return receives_.enter_index(receive);
        match(receive, early->send, early->about, early->slot < 0 ? nullptr : slot(key.peer, early->slot));
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
            case process_note::small: return record.bytes >= sizeof(process_label) && arrive_small(peer, record);
            case process_note::announce: return record.bytes == envelope && arrive_announced(peer, record);
            case process_note::request: return record.bytes == 0 && out_->handle_request(peer, record);
            case process_note::part: return fill(peer, record);
            case process_note::reply: return record.bytes == 0 && out_->handle_reply(peer, record);
            case process_note::take_back: return record.bytes == 0 && taken_back(peer, record);
            case process_note::matched: return handle_matched(peer, record);
            default: return false;
        }
    }

    bool arrive_small(rank_t peer, const ring_entry& record) {
        process_label label;
        copy_once(label, record.body);
        const bytes_t size = static_cast<bytes_t>(record.bytes) - static_cast<bytes_t>(sizeof label);
        return arrive(peer, record.id, label.envelope(record.value, size), record.body + sizeof label);
    }
    bool arrive_announced(rank_t peer, const ring_entry& record) {
        process_envelope about;
        copy_once(about, record.body);
        return about.size >= 0 && arrive(peer, record.id, about, nullptr);
    }
    /// @param bytes  of a small message, in the ring
    bool arrive(rank_t peer, std::uint64_t send, const process_envelope& about, const std::byte* bytes) {
        if (incoming* const receive = receives_.find(about.name(peer))) {
            receives_.leave_index(*receive);
            match(*receive, send, about, bytes);
            return true;
        }
        link& from = of(peer);
        int place = -1;
        if (bytes != nullptr) {
            place = std::countr_one(from.taken);
            if (place >= process_outbox::most_small || about.size > static_cast<bytes_t>(slot_bytes_)) return false;
        }
        if (from.early >= most_early_) return false;
        ++from.early;
        arrival& early = arrivals_.take();
        early.name = about.name(peer);
        early.send = send;
        early.about = about;
        early.slot = place;
        arrivals_.enter_index(early);
        if (bytes == nullptr) return true;
        from.taken |= std::uint32_t{1} << place;
        std::memcpy(slot(peer, place), bytes, static_cast<std::size_t>(about.size));
        return true;
    }

    /// A send and its receive have met. `bytes` are there if it is a small message.
    void match(incoming& receive, std::uint64_t send, const process_envelope& about, const std::byte* bytes) {
        receive.from = about.where;
        receive.from.id = send;
        int error = about.fingerprint != receive.fingerprint ? transport_error::disagreement
                    : about.size != receive.target.size()    ? transport_error::size_mismatch
                                                             : 0;
        if (error == 0 && about.size > 0 && bytes == nullptr) {
            if (about.size >= group_->single_copy_from() && single_copy(receive.name.peer)) copies_.push(receive.id);
            else request_bytes(receive);
            return;
        }
        if (error == 0 && about.size > 0) error = combining([&] { receive.target.take(bytes, about.size); });
        if (bytes != nullptr) out_->note_match(receive.name.peer, send);
        else send_reply(receive, error);
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
        if (record.bytes != sizeof ids) return false;
        copy_once(ids, record.body);
        return out_->handle_matched(peer, ids);
    }

    bool taken_back(rank_t peer, const ring_entry& record) {
        arrivals_.for_each([&](arrival& early) {
            if (early.name.peer == peer && early.send == record.id) drop(early);
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
        if (early.slot >= 0) of(early.name.peer).taken &= ~(std::uint32_t{1} << early.slot);
        arrivals_.give_back(early);
    }

    std::int64_t most_early_;
    const process_group* group_;
    process_outbox* out_;
    process_message_queue<completion>* done_;
    std::vector<link> links_;
    std::size_t slot_bytes_;
    std::unique_ptr<std::byte[]> shelf_;  // touched only where a message comes too early
    process_message_pool<incoming> receives_;
    process_message_pool<arrival> arrivals_;
    process_message_queue<std::uint64_t> copies_{64};  // receives whose bytes are in another process
    kept_exception thrown_;                            // by reductions
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
