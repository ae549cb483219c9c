#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "collsched/execute/shared_memory/detail/message_target.hpp"
#include "collsched/execute/shared_memory/detail/process_copy.hpp"
#include "collsched/execute/shared_memory/process_group.hpp"
#include "collsched/execute/shared_memory/detail/process_messages.hpp"
#include "collsched/execute/shared_memory/detail/process_note.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/transport_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The sending half of a process_transport: writes messages and notes into the rings to the other ranks. Those for
/// which a ring has no room wait in private memory until flush() writes them.
class process_outbox {
  public:
    /// So many small messages to a rank may be unmatched: it has room for no more of them.
    static constexpr int most_small = 32;
    /// The bytes of a small message.
    static bytes_t longest_small(bytes_t ring_bytes) {
        return longest_body(ring_bytes) - static_cast<bytes_t>(sizeof(process_label));
    }

    process_outbox(const process_group& group, process_message_queue<completion>& done)
        : group_(&group), done_(&done), links_(static_cast<std::size_t>(group.ranks())) {
        for (rank_t r = 0; r < group.ranks(); ++r)
            if (r != group.rank()) of(r).ring = group.segment().writer(group.rank(), r);
    }
    process_outbox(const process_outbox&) = delete;
    process_outbox& operator=(const process_outbox&) = delete;

    /// Returns already_complete for a small message that is in the ring, otherwise 0.
    /// @param awaited  the send is complete after its match
    int post(const message_key& key, std::span<const send_part> parts, bool awaited = false) {
        outgoing& send = sends_.take();
        const bytes_t size = total_bytes(parts);
        link& to = of(key.peer);
        send.name = {key.peer, key.channel, key.epoch, key.sequence};
        send.request = key.request;
        send.parts = parts;
        send.receive = 0;
        send.is_small = size <= longest_small(group_->ring_bytes()) && to.small < most_small;
        if (send.is_small) ++to.small;
        send.about = {key.channel, key.epoch, key.sequence, key.fingerprint, size, {}};
        send.is_reported = false;
        send.is_awaited = awaited;
        if (send.is_small && !awaited && to.waiting.empty() && write_small(send)) {
            note_complete(send);
            return already_complete;
        }
        send.about.where = {reinterpret_cast<std::uintptr_t>(parts.data()), parts.size(),
                            reinterpret_cast<std::uintptr_t>(&send.id), send.id};
        send_note(key.peer,
                  {{0, send.is_small ? process_note::small : process_note::announce, send.id, 0}, send.about});
        return 0;
    }

    /// Sends a note, after those that still wait.
    void send_note(rank_t peer, const process_note& note) {
        link& to = of(peer);
        if (!to.waiting.empty() || !write(peer, note)) to.waiting.push(note);
    }

    /// Writes what waits, as far as there is room. False if the peer has broken the ring.
    bool flush(rank_t peer) {
        link& to = of(peer);
        while (!to.waiting.empty() && write(peer, to.waiting.front())) to.waiting.pop();
        while (!to.streams.empty() && stream(peer, to.streams.front())) to.streams.pop();
        return !to.ring.is_broken();
    }
    bool has_waiting(rank_t peer) { return !of(peer).waiting.empty(); }

    /// Handles a request for the bytes of a message. False if no rank sends it: for another rank's message, or twice.
    bool handle_request(rank_t peer, const ring_record& record) {
        outgoing* const send = sends_.find(record.id);
        if (send == nullptr) return true;  // cancelled since
        if (send->name.peer != peer || send->is_small || send->receive != 0 || record.value == 0) return false;
        send->receive = record.value;
        send->next = part_walk<send_part>(send->parts);
        send->left = send->about.size;
        of(peer).streams.push(record.id);
        flush(peer);
        return true;
    }
    /// Handles the reply that ends a send. False if no rank sends it.
    bool handle_reply(rank_t peer, const ring_record& record) {
        const std::uint64_t error = record.value;
        if (error != 0 && error != transport_error::size_mismatch && error != transport_error::disagreement &&
            error != transport_error::withdrawn && error != transport_error::combine_failed)
            return false;
        outgoing* const send = sends_.find(record.id);
        if (send == nullptr) return true;
        if (send->name.peer != peer) return false;
        finish(*send, static_cast<int>(error));
        return true;
    }

    /// Reports to a rank that its small message has been matched, some such messages at once.
    void note_match(rank_t peer, std::uint64_t id) {
        link& to = of(peer);
        to.matched[to.matches++] = id;
        if (to.matches < to.matched.size()) return;
        to.matches = 0;
        send_note(peer, {{0, process_note::matched, to.matched[0], 0}, {}, to.matched});
    }
    /// Handles the report of matched messages. False if no rank sends it.
    bool handle_matched(rank_t peer, const process_note::matched_ids& ids) {
        for (const std::uint64_t id : ids) {
            outgoing* const send = sends_.find(id);
            if (send == nullptr) continue;  // cancelled since
            if (send->name.peer != peer || !send->is_reported) return false;
            forget(*send);
        }
        return true;
    }

    /// Makes complete messages of an owner, which has no operation in flight, remain when it is cancelled later.
    void disown(const void* owner) {
        std::erase_if(complete_, [&](std::uint64_t id) {
            outgoing* const send = sends_.find(id);
            if (send == nullptr) return true;
            if (send->request.owner != owner) return false;
            send->request = {};
            return true;
        });
    }
    /// Gives back the memory of one owner's sends, or of all; then messages that are complete remain. A process that reads
    /// it at that moment finds a changed guard and discards the bytes.
    void cancel(const void* owner, bool all = false) {
        sends_.for_each([&](outgoing& send) {
            if (!all && send.request.owner != owner) return;
            if (!all || !send.is_reported) send_note(send.name.peer, {{0, process_note::take_back, send.id, 0}});
            forget(send);
        });
    }

    /// Ends all that is under way to a rank that is gone.
    void lose(rank_t peer, int error) {
        sends_.for_each([&](outgoing& send) {
            if (send.name.peer == peer) finish(send, error);
        });
        of(peer).waiting.clear();
        of(peer).streams.clear();
    }

  private:
    struct outgoing {
        std::atomic<std::uint64_t> id = 0;  // also the guard that others look at
        message_name name;
        message_request request;
        std::span<const send_part> parts;
        process_envelope about{};
        bool is_small = false;
        bool is_reported = false;  // as complete, since it is in the ring
        bool is_awaited = false;
        std::uint64_t receive = 0;  // the peer's, once it has requested the bytes
        part_walk<send_part> next;  // the bytes that it still is to get
        bytes_t left = 0;
    };
    struct link {
        ring_writer ring;
        process_message_queue<process_note> waiting;
        process_message_queue<std::uint64_t> streams;  // sends whose bytes have been requested
        int small = 0;                                 // small messages under way
        process_note::matched_ids matched{};           // messages of the peer, to be reported
        std::size_t matches = 0;
    };

    link& of(rank_t peer) { return links_[static_cast<std::size_t>(peer)]; }

    /// False if there is no room. A message that has been cancelled since counts as written.
    bool write(rank_t peer, const process_note& note) {
        const bool posts = note.head.kind == process_note::small || note.head.kind == process_note::announce;
        outgoing* const send = posts ? sends_.find(note.head.id) : nullptr;
        if (posts && send == nullptr) return true;
        if (note.head.kind == process_note::small) {
            if (!write_small(*send)) return false;
            if (send->is_awaited) return true;
            done_->push({send->request, 0, send->name.peer});
            note_complete(*send);
            return true;
        }
        ring_record head = note.head;
        const void* const body =
            head.kind == process_note::announce ? static_cast<const void*>(&note.about) : &note.ids;
        if (head.kind == process_note::announce) head.bytes = sizeof note.about;
        if (head.kind == process_note::matched) head.bytes = sizeof note.ids;
        std::byte* const at = of(peer).ring.reserve(head);
        if (at == nullptr) return false;
        std::memcpy(at, body, head.bytes);
        of(peer).ring.commit(std::memory_order_seq_cst);
        group_->notify(peer);
        return true;
    }
    bool write_small(const outgoing& send) {
        const process_envelope& about = send.about;
        ring_writer& ring = of(send.name.peer).ring;
        const process_label label{about.channel, about.sequence, about.fingerprint};
        std::byte* const at =
            ring.reserve({static_cast<std::uint32_t>(static_cast<bytes_t>(sizeof label) + about.size),
                          send.is_awaited ? process_note::awaited : process_note::small, send.id, about.epoch});
        if (at == nullptr) return false;
        std::memcpy(at, &label, sizeof label);
        part_walk<send_part>(send.parts).copy_to(at + sizeof label, about.size);
        ring.commit(std::memory_order_seq_cst);
        group_->notify(send.name.peer);
        return true;
    }

    /// Writes parts of a send whose bytes have been requested. False if there is no room for all that is left.
    bool stream(rank_t peer, std::uint64_t id) {
        outgoing* const send = sends_.find(id);
        if (send == nullptr) return true;
        while (send->left > 0) {
            constexpr bytes_t unit = message_target::part_unit;
            const bytes_t size = std::min(send->left, longest_body(group_->ring_bytes()) / unit * unit);
            std::byte* const at =
                of(peer).ring.reserve({static_cast<std::uint32_t>(size), process_note::part, send->receive, 0});
            if (at == nullptr) return false;
            send->next.copy_to(at, size);
            of(peer).ring.commit(std::memory_order_seq_cst);
            group_->notify(peer);
            send->left -= size;
        }
        finish(*send, 0);
        return true;
    }

    /// Notes that a small message is complete, though it may have no receive yet.
    void note_complete(outgoing& send) {
        send.is_reported = true;
        if (complete_.size() == complete_.capacity())
            std::erase_if(complete_, [&](std::uint64_t id) { return sends_.find(id) == nullptr; });
        complete_.push_back(send.id);
    }
    void finish(outgoing& send, int error) {
        if (!send.is_reported) done_->push({send.request, error, send.name.peer});
        forget(send);
    }
    void forget(outgoing& send) {
        if (send.is_small) --of(send.name.peer).small;
        sends_.give_back(send);
    }

    const process_group* group_;
    process_message_queue<completion>* done_;
    std::vector<link> links_;
    process_message_pool<outgoing> sends_;
    std::vector<std::uint64_t> complete_;  // small messages that are complete; some may have been matched since
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
